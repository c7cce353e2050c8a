"""What `import regis` offers: functions, puzzles and results, and the check of what they are given (calls)."""
