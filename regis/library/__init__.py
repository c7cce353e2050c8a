"""What `import regis` offers: functions (api), puzzles and results, and the check of what they are given (calls)."""
