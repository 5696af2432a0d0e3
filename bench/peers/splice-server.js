import { LoroDoc } from "loro-crdt";
import { serve } from "./serve.js";

// The least that a server of `edit.splice` does: it parses each frame, applies it to a Loro document, commits and
// exports the commit. It stores nothing. Its positions are UTF-16 units, as Loro's are.
serve((ws) => {
  const documents = new Map();
  const methods = {
    "doc.create": ({ path, text }) => {
      const doc = new LoroDoc();
      const content = doc.getText("content");
      content.insert(0, text);
      doc.commit();
      documents.set(path, { doc, content, version: doc.version() });
    },
    "edit.splice": ({ path, splices }) => {
      const document = documents.get(path);
      const { doc, content, version } = document;
      for (const { from, to, insert } of splices.toReversed()) {
        if (to > from) content.delete(from, to - from);
        if (insert !== "") content.insert(from, insert);
      }
      doc.commit();
      doc.export({ mode: "update", from: version });
      version.free();
      document.version = doc.version();
    },
    "doc.read": ({ path }) => ({ text: documents.get(path).content.toString() }),
  };
  ws.on("message", (frame) => {
    const { id, method, params } = JSON.parse(frame.toString());
    ws.send(JSON.stringify({ jsonrpc: "2.0", id, result: methods[method](params) ?? {} }));
  });
});
