"""Import this first in tests: it gives each process one thread, as commands have, because tests run in parallel.

Number libraries look at the setting when they are imported; with their own threads, two tests on two cores take six
times as long.
"""

from regis.system import process

process.use_one_thread()
