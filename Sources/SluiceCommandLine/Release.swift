/// The version that `--version` prints; `CHANGELOG.md` says what is in it.
package enum Release {
    package static let version = "0.1.0"
}
