"""What counts as failure here: settings of a project, accepted findings, and what they make of a report."""
