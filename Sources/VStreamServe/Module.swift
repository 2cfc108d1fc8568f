/// # VStreamServe: many cameras in one process
///
/// Reads the configuration, runs a supervised camera for each of its entries, and serves their live page over HTTP. Its
/// executable, `vstream-serve`, is apart from the command's, which so links no network server; `vstream serve` starts it.
///
/// May import: all Swift modules except VStream and VStreamCommand; CVStreamMemory; ArgumentParser, Yams, SwiftNIO.
