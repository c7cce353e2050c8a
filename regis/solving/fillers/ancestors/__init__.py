"""The five published student systems that Regis descends from, each as a filler, and what they share."""
