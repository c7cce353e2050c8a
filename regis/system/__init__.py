"""What Regis needs of the machine it runs on: where things lie, how text is shown, how files are written."""
