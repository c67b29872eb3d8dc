import Foundation
import SluiceGroup
import SluiceSchema
import SluiceStore
import Testing

/// Values beside a template's text and beside each other, and texts that are made short: markup is the template's, whole.
@Suite struct MarkupTests {
    private func fixture(_ titles: String...) throws -> GlanceFixture {
        let fixture = try GlanceFixture()
        try fixture.store.write {
            for (index, title) in titles.enumerated() {
                try fixture.store.put("Item", name: .text("\(index)"), RowEdit(attributes: ["title": .string(title)]))
            }
        }
        try fixture.writer.update(from: fixture.store)
        return fixture
    }

    private func text(_ fixture: GlanceFixture, _ format: String, _ template: String, _ more: String...) throws -> String {
        let outcome = try fixture.glance(["list", "Item", "--format", format, "--template", template] + more)
        #expect(outcome.status == 0 && outcome.errors == "", "\(format), \(template)")
        return String(outcome.output.dropLast())
    }

    @Test func `polybar gets no action that a value makes with its neighbours`() throws {
        let action = "{A1:touch /tmp/x:}buy"
        let one = try fixture(action)
        #expect(try text(one, "polybar", "{{isChecked}}%{{title}}") == "false% \(action)")
        #expect(try text(one, "polybar", "%{{price}}{{title}}") == "% \(action)")
        #expect(try text(one, "polybar", "%{F#f90}{{title}}%{F-}") == "%{F#f90} \(action)%{F-}")
        #expect(try text(one, "polybar", "{{title}}", "--width", "7") == " {A1:t…")
        let two = try fixture("50%", action)
        #expect(try text(two, "polybar", "{{title}}", "--separator", "") == "50% \(action)")
        #expect(try text(two, "polybar", "{{title}}", "--separator", "{F-}", "--limit", "1", "--order", "title") == "50%")
        #expect(try text(two, "polybar", "{{title}}{F-}", "--where", "title == '50%'") == "50% {F-}")
        #expect(try text(two, "polybar", "{{title}}", "--separator", "%") == "50%% \(action)")
    }

    @Test func `tmux gets no style, variable or command that a value makes with its neighbours`() throws {
        for value in ["[fg=red]", "(touch /tmp/x)", "{host}", "H"] {
            #expect(try text(fixture(value), "tmux", "#{{title}}") == "##\(value)")
            #expect(try text(fixture("#\(value)"), "tmux", "#{{title}}") == "####\(value)")
            #expect(try text(fixture("#", value), "tmux", "{{title}}", "--separator", "") == "##\(value)")
            #expect(try text(fixture("#", value), "tmux", "{{title}}", "--separator", "#") == "####\(value)")
        }
        #expect(try text(fixture("[x]"), "tmux", "#[fg=red]{{title}}##") == "#[fg=red][x]##")
    }

    @Test func `a prompt gets no variable that a value makes with its neighbours`() throws {
        #expect(try text(fixture("(id)"), "prompt", "${{title}}") == "＄(id)")
        #expect(try text(fixture("HOME"), "prompt", "${{title}}") == "＄HOME")
        #expect(try text(fixture("F{red}"), "prompt", "%{{title}} $") == "％F{red} $")
    }

    @Test func `Pango is made short by what is seen of it, and stays Pango`() throws {
        let fixture = try fixture("salt & pepper")
        let outcome = try fixture.glance(
            "list", "Item", "--format", "i3bar", "--markup", "pango", "--template", "<b>{{title}}</b> &lt;<i>{{title}}</i>", "--width", "8")
        let block = try #require(try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
        #expect(block["short_text"] as? String == "<b>salt &amp; …</b><i></i>")
        #expect(block["full_text"] as? String == "<b>salt &amp; pepper</b> &lt;<i>salt &amp; pepper</i>")
        #expect(
            try text(fixture, "i3blocks", "<b>{{title}}</b>", "--markup", "pango", "--width", "13")
                == "<b>salt &amp; pepper</b>\n<b>salt &amp; pepper</b>")
        #expect(try text(fixture, "i3blocks", "&amp;{{title}}", "--markup", "pango", "--width", "2").hasSuffix("\n&amp;…"))
        #expect(try text(fixture, "polybar", "%{F#f90}{{title}}%{F-}", "--width", "5") == "%{F#f90}salt…%{F-}")
        #expect(try text(fixture, "tmux", "#[fg=red]##{{title}}#[default]", "--width", "6") == "#[fg=red]##salt…#[default]")
    }

    @Test func `a value may stand in an attribute of a Pango tag`() throws {
        let fixture = try fixture(#"' size='9" x"#)
        #expect(
            try text(fixture, "i3blocks", "<span color='{{title}}'>x</span>", "--markup", "pango").hasPrefix(
                "<span color='&#39; size=&#39;9&quot; x'>x</span>\n"))
        let waybar = try fixture.glance("list", "Item", "--format", "waybar", "--template", "{{title}}").output
        #expect(waybar.contains(#""text":"&#39; size=&#39;9&quot; x""#))
    }
}
