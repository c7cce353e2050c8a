"""`regis play`: a page to solve on, served by this machine to itself, or to your own network.

The browser has the puzzle and what was typed; the server has the file; a separate process has the index and Regis's
beliefs. A question goes from the page through the server to that process, and one answer comes back. No part of a
solution leaves it unless asked for.
"""
