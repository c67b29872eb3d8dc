/// Good messages of the dialect, one of each kind, with everything in them that a field or a request may have.
package enum WireSamples {
    /// Bodies, and the last part of the path that they belong to.
    package static let requests: [(endpoint: String, body: [UInt8])] = [
        (
            "records/modify",
            #"{"operations":[{"operationType":"forceUpdate","record":{"recordName":"a","recordType":"T","recordChangeTag":"1.0000000000000001","fields":{"i":{"value":9007199254740993,"type":"INT64"},"s":{"value":"x\u00e9"},"l":{"value":[1,2],"type":"INT64_LIST"},"r":{"value":{"recordName":"b","action":"DELETE_SELF"},"type":"REFERENCE"},"b":{"value":"AQID","type":"BYTES"},"t":{"value":1700000000000,"type":"TIMESTAMP"},"d":{"value":1.5e10,"type":"DOUBLE"},"p":{"value":{"latitude":1,"longitude":2},"type":"LOCATION"}}}},{"operationType":"create","record":{"recordName":"b","recordType":"T","parent":{"recordName":"a"}}}],"zoneID":{"zoneName":"Notes"},"atomic":false,"desiredKeys":["s"]}"#
        ),
        (
            "records/modify",
            #"{"operations":[{"operationType":"update","record":{"recordName":"a","recordType":"T","recordChangeTag":"1.0000000000000001","fields":{"a":{"value":{"fileChecksum":"AQ==","size":3,"receipt":"AAAA","wrappingKey":"AA=="},"type":"ASSETID"}}}},{"operationType":"forceDelete","record":{"recordName":"a"}}],"zoneID":{"zoneName":"Notes","ownerRecordName":"_me"},"atomic":true,"numbersAsStrings":true}"#
        ),
        ("records/lookup", #"{"records":[{"recordName":"a","desiredKeys":["i"]},{"recordName":"nobody"}],"zoneID":{"zoneName":"Notes"},"desiredKeys":["x"]}"#),
        (
            "records/query",
            #"{"zoneID":{"zoneName":"Notes"},"query":{"recordType":"T","filterBy":[{"comparator":"IN","fieldName":"i","fieldValue":{"value":[1],"type":"INT64_LIST"}},{"comparator":"BEGINS_WITH","fieldName":"s","fieldValue":{"value":"x"}},{"comparator":"NEAR","fieldName":"p","fieldValue":{"value":{"latitude":1,"longitude":2},"type":"LOCATION"},"distance":5}],"sortBy":[{"fieldName":"i","ascending":false},{"systemFieldName":"recordName"}]},"resultsLimit":3,"zoneWide":false}"#
        ),
        (
            "records/query",
            #"{"zoneWide":true,"query":{"recordType":"T","filterBy":[],"sortBy":[]},"resultsLimit":1,"continuationMarker":"eyJ2ZXJzaW9uIjoxfQ=="}"#
        ),
        ("records/changes", #"{"zoneID":{"zoneName":"Notes"},"syncToken":"","resultsLimit":2,"desiredRecordTypes":["T"],"desiredKeys":["s"]}"#),
        (
            "changes/zone",
            #"{"zones":[{"zoneID":{"zoneName":"Notes"},"syncToken":"z1.0000000000000001.0000000000000001.0.0000000000000001","resultsLimit":5,"reverse":true,"desiredRecordTypes":["T"],"desiredKeys":["s"]},{"zoneID":{"zoneName":"None"}}]}"#
        ),
        ("changes/database", #"{"syncToken":"d1.0000000000000000.0.0000000000000000","resultsLimit":3,"waitSeconds":0}"#),
        ("zones/modify", #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Other"}}},{"operationType":"delete","zone":{"zoneID":{"zoneName":"Other"}}}]}"#),
        ("zones/lookup", #"{"zones":[{"zoneName":"Notes"},{"zoneName":"None","ownerRecordName":"_me"}]}"#),
        ("zones/list", "{}"),
        ("users/current", "{}"),
        ("assets/upload", #"{"zoneID":{"zoneName":"Notes"},"tokens":[{"recordName":"a","recordType":"T","fieldName":"x"}]}"#),
        ("assets/rereference", #"{"zoneID":{"zoneName":"Notes"},"assets":[{"recordName":"a","recordType":"T","fieldName":"x"}]}"#),
    ].map { ($0, Array($1.utf8)) }

    /// Everything that is said in JSON, answers too.
    package static let documents: [[UInt8]] =
        requests.map(\.body)
        + [
            #"{"records":[{"recordName":"a","recordChangeTag":"1.0000000000000001","modified":{"timestamp":1700000000000}},{"recordName":"b","serverErrorCode":"CONFLICT","reason":"x","retryAfter":3}]}"#,
            #"{"zones":[{"zoneID":{"zoneName":"Notes","ownerRecordName":"_me"},"syncToken":"z1.0.0.0","moreComing":false,"records":[{"recordName":"a","recordType":"T","fields":{},"created":{"timestamp":1,"userRecordName":"_u","deviceID":"d"}},{"recordName":"c","deleted":true}]}],"epoch":"0000000000000001"}"#,
            #"{"text":"a \"b\" \\ \/ \b\f\n\r\t \u0001 \ud83d\ude00 é","list":[1,-2.5e3,true,null,{}]}"#,
            #"{"userRecordName":"_u","limits":{"operations":2000,"bytes":8388608},"epoch":"0000000000000001"}"#,
        ].map { Array($0.utf8) }

    /// A head and a body as they are on the line.
    /// - Parameter head: the request line, and headers, without the last line end.
    package static func message(_ head: String, _ body: [UInt8]) -> [UInt8] {
        Array("\(head)\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: \(body.count)\r\n\r\n".utf8) + body
    }
}
