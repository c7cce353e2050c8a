"""`regis play`: a page to solve with, served by this machine to this machine alone, or to the person's own network.

The browser has the puzzle and what was typed; the server has the file; a process beside it has the index and what
Regis believes. A question goes from the page through the server to that process, and one answer comes back: no part of
a solution that was not asked for ever leaves it.
"""
