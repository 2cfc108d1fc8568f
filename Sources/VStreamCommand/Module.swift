/// # VStreamCommand: the command line
///
/// Parses options into a configuration, runs a `Pipeline`, and turns errors into messages and exit codes.
///
/// May import: all Swift modules except VStream; CVStreamMemory; ArgumentParser.
