import Glibc

/// What the process's surroundings say about where things lie. Programs make one at start; nothing below reads the environment itself.
package struct ConfigurationEnvironment: Sendable {
    package var variables: [String: String]

    package init(variables: [String: String]) { self.variables = variables }

    /// Where accounts keep their stores: systemd's `StateDirectory=sluice`, else `$XDG_STATE_HOME/sluice`.
    package var stateDirectory: String { systemd("STATE_DIRECTORY", "sluice") ?? home("XDG_STATE_HOME", ".local/state") + "/sluice" }

    /// Where group containers lie: systemd's `StateDirectory=sluice-groups`, else `$XDG_DATA_HOME/sluice/groups`.
    package var groupsDirectory: String {
        systemd("STATE_DIRECTORY", "sluice-groups") ?? home("XDG_DATA_HOME", ".local/share") + "/sluice/groups"
    }

    /// Where configuration is looked for: systemd's `ConfigurationDirectory=sluice`, else the first of `$XDG_CONFIG_HOME/sluice` and
    /// `/etc/sluice` that exists.
    package var configurationDirectory: String {
        if let directory = systemd("CONFIGURATION_DIRECTORY", "sluice") { return directory }
        let personal = home("XDG_CONFIG_HOME", ".config") + "/sluice"
        return access(personal, F_OK) == 0 ? personal : "/etc/sluice"
    }

    /// Where systemd puts what `LoadCredential=` names.
    package var credentialsDirectory: String? { variables["CREDENTIALS_DIRECTORY"] }

    /// systemd lists the directories it made, with colons between them.
    private func systemd(_ variable: String, _ name: String) -> String? {
        variables[variable]?.split(separator: ":").first { $0.split(separator: "/").last == name[...] }.map(String.init)
    }

    private func home(_ variable: String, _ fallback: String) -> String {
        // The XDG specification has relative paths ignored.
        if let path = variables[variable], path.hasPrefix("/") { return path }
        return (variables["HOME"] ?? "/root") + "/" + fallback
    }
}
