"""The first that tests import: one thread each, as commands have, since the tests themselves run side by side.

The number libraries look when they come in; with threads of their own, two tests on two cores take six times as long.
"""

from regis.system import process

process.use_one_thread()
