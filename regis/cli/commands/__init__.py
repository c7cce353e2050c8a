"""What each command takes and does; which there are stands in `table`."""
