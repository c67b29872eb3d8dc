import Foundation
import SluiceNotation
import SluiceSync

extension ScalarKind where Value == ServiceConfiguration.Proxy {
    static var proxy: ScalarKind {
        ScalarKind(expectation: "none, environment, or a URL such as http://proxy.example:3128 without user and password") { text in
            switch text {
            case "none": return ServiceConfiguration.Proxy.none
            case "environment": return .environment
            default:
                guard let url = URL(string: text), let scheme = url.scheme, ["http", "https", "socks5", "socks5h"].contains(scheme),
                    url.host() != nil, url.user() == nil, url.password() == nil
                else { return nil }
                return .url(text)
            }
        }
    }
}

extension ScalarKind where Value == String {
    /// A SHA-256 sum in base64, alone or as curl and browsers write it: `sha256//…`, `sha256/…`.
    static var keySum: ScalarKind {
        ScalarKind(expectation: "the SHA-256 sum of a public key in base64, which are 44 characters") { text in
            let sum = ["sha256//", "sha256/"].first(where: text.hasPrefix).map { String(text.dropFirst($0.count)) } ?? text
            return Data(base64Encoded: sum)?.count == 32 ? sum : nil
        }
    }
}

extension ScalarKind where Value == Duration? {
    /// A duration, or nil for `forever`.
    static var keep: ScalarKind {
        ScalarKind(expectation: "forever, or a duration such as 30d") { text in
            text == "forever" ? .some(nil) : Duration(notation: text).map { .some($0) }
        }
    }
}

extension ScalarKind where Value == ConflictPolicy {
    /// What can be said of a single field in a file.
    static var fieldPolicy: ScalarKind {
        let choice = ScalarKind.choice(ConflictPolicy.self)
        return ScalarKind(
            expectation: choice.expectation + " (a function of a program's own is given in its code, never here)", read: choice.read,
            suggest: choice.suggest)
    }
}
