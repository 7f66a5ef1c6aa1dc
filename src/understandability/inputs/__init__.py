"""Files from outside as `Page`s (`sources`), `Run`s and `Labels` (`given`), tables; and written."""
