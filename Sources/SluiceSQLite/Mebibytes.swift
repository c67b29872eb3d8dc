extension Int {
    /// So many bytes as messages have it: in MiB, rounded up, as in `3 MiB`.
    package var inMebibytes: String { "\((self + 1_048_575) / 1_048_576) MiB" }
}
