import Foundation
import SluiceGroup
import SluiceSchema
import SluiceStore
import Testing

/// What bars, multiplexers and shells read: each format's own shape, and values that stay values in it.
@Suite struct BarFormatTests {
    private static let hostile = "a$(id)`id`\\u%{F#f00}%n#[fg=red]#(id)<b>&\u{1B}[31m\n\u{202E}z!"

    private func fixture(_ titles: String...) throws -> GlanceFixture {
        let fixture = try GlanceFixture()
        try fixture.store.write {
            for (index, title) in titles.enumerated() {
                let edit = RowEdit(attributes: ["title": .string(title), "price": .double(Double(index) * 30), "isChecked": .boolean(index > 0)])
                try fixture.store.put("Item", name: .text("\(index)"), edit)
            }
        }
        try fixture.writer.update(from: fixture.store, lastSync: Date(timeIntervalSince1970: 1_771_416_482))
        return fixture
    }

    private func object(_ text: some StringProtocol) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    @Test func `waybar gets text, tooltip, classes and a percentage in one object`() throws {
        let fixture = try fixture("milk", "bread", "salt & pepper")
        let list = try object(
            fixture.glance(
                "list", "Item", "--format", "waybar", "--template", "{{title}}", "--separator", ", ", "--fields", "title,isChecked",
                "--percentage", "price", "--order", "price desc"
            ).output)
        #expect(list["text"] as? String == "salt &amp; pepper, bread, milk" && list["percentage"] as? Int == 60)
        #expect(list["tooltip"] as? String == "salt &amp; pepper  true\nbread  true\nmilk  false")
        #expect(list["class"] as? [String] == ["current"] && list["alt"] as? String == "current")
        let count = try object(fixture.glance("count", "Item", "--where", "isChecked", "--format", "waybar", "--template", "{{count}}/{{total}}").output)
        #expect(count["text"] as? String == "2/3" && count["percentage"] as? Int == 66)
        let none = try object(fixture.glance("query", "Item", "price > 100", "--format", "waybar").output)
        #expect(none["text"] as? String == "" && none["class"] as? [String] == ["current", "empty"])
    }

    @Test func `a bar is told of each trouble, and the exit code says it too`() throws {
        let fixture = try fixture("milk")
        let stale = try fixture.glance("count", "Item", "--format", "waybar", "--stale-after", "1h")
        let (staleItem, oldItem) = (try object(stale.output), try object(fixture.glance("count", "Item", "--format", "waybar", "--requires", "2.0.0").output))
        #expect(stale.status == 75 && staleItem["class"] as? [String] == ["stale"])
        let old = try fixture.glance("count", "Item", "--format", "waybar", "--requires", "2.0.0")
        #expect(old.status == 78 && oldItem["alt"] as? String == "migrationRequired")
        let empty = try GlanceFixture()
        for (format, text) in [("polybar", "noStore\n"), ("prompt", "noStore\n"), ("i3blocks", "noStore\nnoStore\n")] {
            let outcome = try empty.glance("count", "Item", "--format", format)
            #expect(outcome.status == 66 && outcome.output == text, "\(format)")
        }
        let block = try object(empty.glance("list", "Item", "--format", "i3bar").output)
        #expect(block["urgent"] as? Bool == true && block["full_text"] as? String == "noStore")
        #expect(try empty.glance("list", "Item", "--format", "jsonl").output == "")
    }

    @Test func `i3bar gets a block, and the whole protocol from watch`() throws {
        let fixture = try fixture("milk", "<bread>")
        let block = try object(fixture.glance("list", "Item", "--format", "i3bar", "--template", "{{title}}", "--width", "8").output)
        #expect(block["full_text"] as? String == "milk  <bread>" && block["short_text"] as? String == "milk  <…")
        #expect(block["name"] as? String == "sluice" && block["instance"] as? String == "shop" && block["markup"] as? String == "none")
        let pango = try object(
            fixture.glance("list", "Item", "--format", "i3bar", "--template", "<i>{{title}}</i>", "--markup", "pango", "--order", "price desc").output)
        #expect(pango["full_text"] as? String == "<i>&lt;bread&gt;</i>  <i>milk</i>" && pango["markup"] as? String == "pango")
        let watch = try fixture.glance("watch", "Item", "--count", "--format", "i3bar", "--generations", "1").lines
        #expect(watch.count == 3 && Array(watch.prefix(2)) == [#"{"version":1}"#, "["] && watch[2].hasSuffix(","))
        // What was read so far, closed: an array of status lines, and each an array of blocks.
        let text = watch.dropFirst().joined().dropLast() + "]"
        let lines = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[[String: Any]]])
        #expect(lines.count == 1 && lines[0].count == 1 && lines[0][0]["full_text"] as? String == "2")
    }

    @Test func `no value is markup, a command or another line, in any format`() throws {
        let fixture = try fixture(Self.hostile)
        func text(_ format: String, _ more: String...) throws -> String {
            let arguments = ["list", "Item", "--format", format, "--template", "{{title}}", "--width", "200"] + more
            let outcome = try fixture.glance(arguments)
            #expect(outcome.status == 0 && !outcome.output.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" }, "\(format)")
            #expect(!outcome.output.contains("\u{202E}"), "\(format)")
            return outcome.output
        }
        #expect(try text("polybar") == #"a$(id)`id`\u% {F#f00}%n#[fg=red]#(id)<b>&[31m z!"# + "\n")
        #expect(try text("tmux") == #"a$(id)`id`\u%{F##f00}%n##[fg=red]##(id)<b>&[31m z!"# + "\n")
        #expect(try text("prompt") == "a＄(id)｀id｀＼u％{F#f00}％n#[fg=red]#(id)<b>&[31m z！\n")
        #expect(try text("i3blocks", "--markup", "pango").split(separator: "\n").first?.hasSuffix("&lt;b&gt;&amp;[31m z!") == true)
        let waybar = try #require(try object(fixture.glance("list", "Item", "--format", "waybar", "--template", "{{title}}").output)["text"] as? String)
        #expect(waybar.contains("&lt;b&gt;&amp;[31m z!") && !waybar.contains("\u{1B}"))
        let plain = try fixture.glance("list", "Item", "--fields", "title")
        #expect(plain.lines.count == 1 && plain.output.contains("\\u{1B}[31m\\n"))
        #expect(try fixture.glance("list", "Item", "--template", "{{title}}").output == plain.output)
    }

    @Test func `a shell that expands the prompt twice finds nothing to expand`() throws {
        let fixture = try fixture(Self.hostile)
        let value = try fixture.glance("list", "Item", "--format", "prompt", "--template", "{{title}}", "--width", "200").lines[0]
        let bash = try GlanceFixture.run(["env", "VALUE=\(value)", "bash", "-c", #"PS1=$VALUE; printf '%s\n' "${PS1@P}""#])
        #expect(bash.output == value + "\n" && bash.errors == "")
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/zsh") else { return }
        let zsh = try GlanceFixture.run(["env", "VALUE=\(value)", "zsh", "-f", "-c", #"setopt promptsubst; print -rP -- "$VALUE""#])
        #expect(zsh.output == value + "\n" && zsh.errors == "")
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/tmux"), "tmux is not installed"))
    func `tmux shows a value as it is`() throws {
        let fixture = try fixture("50% #{host} #(id) #[fg=red]")
        let value = try fixture.glance("list", "Item", "--format", "tmux", "--template", "{{title}}").lines[0]
        let socket = fixture.folder.appending(path: "tmux").path
        let tmux = ["env", "-u", "TMUX", "tmux", "-S", socket, "-f", "/dev/null"]
        // The server stays behind, and must not hold what says that its starter has ended.
        let closing = #"for f in /proc/self/fd/*; do n=${f##*/}; [ "$n" -gt 2 ] && eval "exec $n>&-"; done; exec "$@""#
        #expect(try GlanceFixture.run(["bash", "-c", closing, "-"] + tmux + ["new-session", "-d", "cat"]).status == 0)
        defer { _ = try? GlanceFixture.run(tmux + ["kill-server"]) }
        // A style that is escaped stays so until it is drawn; everything else is shown by now.
        #expect(try GlanceFixture.run(tmux + ["display-message", "-p", value]).output == "50% #{host} #(id) ##[fg=red]\n")
    }

    @Test func `a prompt is short, by columns and not by characters`() throws {
        let fixture = try fixture(String(repeating: "界", count: 40))
        #expect(try fixture.glance("list", "Item", "--format", "prompt", "--template", "{{title}}").output == String(repeating: "界", count: 15) + "…\n")
        #expect(try fixture.glance("get", "0", "--format", "prompt", "--template", "{{title}}", "--width", "1").output == "…\n")
        #expect(try fixture.glance("count", "Item", "--format", "prompt", "--width", "1").output == "1\n")
    }
}
