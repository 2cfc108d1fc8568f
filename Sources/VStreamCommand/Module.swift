/// # VStreamCommand: the command line
///
/// Options become values, values a `Pipeline`, errors text and exit codes; nothing else is done here.
///
/// May import: all modules but the C ones, and ArgumentParser.
