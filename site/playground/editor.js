import { javascript } from "@codemirror/lang-javascript";
import { indentWithTab } from "@codemirror/commands";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { minimalSetup } from "codemirror";

const colours = HighlightStyle.define([
  { tag: tags.keyword, color: "var(--strong)" },
  { tag: [tags.comment], color: "var(--good)" },
  { tag: [tags.string, tags.number, tags.bool], color: "var(--change)" },
]);

/** An editor of kernels in `parent`. Ctrl and Enter run what is in it. */
class Editor {
  constructor(parent, { onRun, onChange }) {
    const keys = keymap.of([{ key: "Ctrl-Enter", mac: "Cmd-Enter", run: () => (onRun(), true) }, indentWithTab]);
    this.view = new EditorView({
      parent,
      extensions: [keys, minimalSetup, lineNumbers(), highlightActiveLine(), bracketMatching(), indentOnInput(), javascript(), lintGutter(),
        syntaxHighlighting(colours), EditorView.contentAttributes.of({ tabindex: "0", "aria-label": "The kernel. Escape, then Tab leaves the editor." }),
        EditorView.updateListener.of((update) => update.docChanged && onChange())],
    });
  }

  text() {
    return this.view.state.doc.toString();
  }

  set(text) {
    this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
    this.underline([]);
  }

  /** Marks lines as wrong: a list of {line, text}, in place of the marks before. */
  underline(lines) {
    const { doc } = this.view.state;
    const marks = lines.filter(({ line }) => line <= doc.lines).map(({ line, text }) => {
      const whole = doc.line(line), indent = whole.text.search(/\S|$/);
      return { from: whole.from + indent, to: whole.to, severity: "error", message: text };
    });
    this.view.dispatch(setDiagnostics(this.view.state, marks.sort((a, b) => a.from - b.from)));
  }
}

window.tallyEditor = (parent, on) => new Editor(parent, on);
