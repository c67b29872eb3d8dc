import Foundation
import SluiceHTTPServer

/// What is not of the dialect: health, metrics, and the page that 421 answers point to. None of it needs a token or shows a user's data.
struct OperationalEndpoints {
    let service: RecordService
    static let paths = ["/healthz", "/readyz", "/metrics", SignInPage.path]

    /// Nil where the path is not one of these.
    func answer(_ request: HTTPRequest, connections: Int) async -> HTTPResponse? {
        switch request.path {
        case "/healthz": return .text(200, "ok")
        case "/readyz":
            do {
                _ = try await service.storage.statistics()
                return .text(200, "ready")
            } catch {
                return .text(503, "storage does not answer")
            }
        case "/metrics":
            do {
                return .metrics(service.metrics.text(try await service.storage.statistics(), connections: connections))
            } catch {
                return .text(503, "storage does not answer")
            }
        case SignInPage.path: return .text(200, SignInPage.text)
        default: return nil
        }
    }
}

/// There is no sign-in with a password here: whoever runs the service issues tokens.
enum SignInPage {
    static let path = "/sign-in"
    static let text = """
        This record service gives tokens out by hand.
        Ask its operator to run: sluice-records token issue --user NAME
        and put the printed token into the file that your account's configuration names.
        """
}
