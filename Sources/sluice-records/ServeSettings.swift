package import SluiceCommandLine
package import SluiceConfiguration
package import SluiceHTTPServer
import SluiceNotation
import SluicePostgreSQL
import SluiceRecordService
import SluiceRecords

/// What `serve` needs, from the service's file or from options.
struct ServeSettings {
    let dataDirectory: String
    let address: String
    let port: UInt16
    let certificateFile: String
    let keyFile: String
    var connections = ServerConfiguration().connections
    var requestTime = ServerConfiguration().requestTime
    var service = ServiceConfiguration()
    /// Nil: embedded.
    var target: PostgreSQLTarget?
    var storageConnections = PostgreSQLRecordStorage.Connections()

    init(dataDirectory: String, address: String, port: UInt16, certificateFile: String, keyFile: String) {
        self.dataDirectory = dataDirectory
        self.address = address
        self.port = port
        self.certificateFile = certificateFile
        self.keyFile = keyFile
    }

    /// - Throws: every fault of the file; `PostgreSQLError.unusableTarget` for what only libpq knows of its connection string.
    init(file: String) throws {
        let configuration = try RecordServiceConfiguration.load(file)
        self.init(
            dataDirectory: configuration.dataDirectory, address: configuration.address, port: UInt16(clamping: configuration.port),
            certificateFile: configuration.certificateFile, keyFile: configuration.keyFile)
        connections = configuration.connectionsMaximum
        target = try configuration.storage.map { text in try PostgreSQLTarget(text) }
        storageConnections = PostgreSQLRecordStorage.Connections(total: configuration.storageConnections)
        requestTime = configuration.requestTime
        service.limits = ServiceLimits(operations: configuration.operationsMaximum, bytes: Int(configuration.requestSize.bytes))
        service.rate = Double(configuration.requestsPerSecond)
        service.burst = Double(configuration.burst)
        service.assetBytes = Int(configuration.assetSize.bytes)
        service.quota = configuration.quotaPerUser.bytes
    }

    /// The listener's part, its certificate and key read.
    func http() throws(DataDirectoryError) -> ServerConfiguration {
        var http = ServerConfiguration()
        http.connections = connections
        http.requestTime = requestTime
        http.tls = try identity()
        return http
    }

    /// The certificate and its key, as they lie there now.
    func identity() throws(DataDirectoryError) -> TLSIdentity {
        TLSIdentity(certificate: try SecretFiles.read(certificateFile, isSecret: false), privateKey: try SecretFiles.read(keyFile, isSecret: true))
    }
}

extension ConfigurationError: ExitCodeProviding {
    package var exitCode: ExitCode { .configuration }
}

extension HTTPServerError: ExitCodeProviding {
    package var exitCode: ExitCode { code == .cannotBind ? .unavailable : .configuration }
}
