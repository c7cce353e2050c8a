"""What each command takes and does; `dispatch.COMMANDS` lists them."""
