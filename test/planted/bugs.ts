/** A bug to plant: text of a file, which it has once, is replaced. */
export interface Bug {
  readonly name: string;
  readonly file: string;
  readonly from: string;
  readonly to: string;
  /** The test file that must fail, and which test of it; the pinned run of the bug's name when left out. */
  readonly test?: readonly [file: string, title?: string];
}

/**
 * Bugs that the suite has to catch: what the ledger rule names, and what was there once or nearly. There is no
 * folder fsync to skip: the mirror owes none, because the file is brought up from the journal after a crash, and
 * LMDB has its own.
 */
export const BUGS: readonly Bug[] = [
  {
    name: "an edit is acknowledged before it is flushed",
    file: "src/workspace/commit.ts",
    from: "    await kept;\n",
    to: "    kept.catch(() => undefined);\n",
  },
  {
    name: "a save that came between the look and the swap is displaced",
    file: "src/mirror/replace.ts",
    from: "    if (is(staged, expected)) return",
    to: "    if (staged !== at) return",
    test: ["test/mirror/replace.test.ts", "[FS24]"],
  },
  {
    name: "a file is replaced without a look at what it is by now",
    file: "src/mirror/replace.ts",
    from: "  if (!is(kept, expected)) {",
    to: "  if (kept === at) {",
    test: ["test/mirror/replace.test.ts", "[FS24]"],
  },
  {
    name: "what is written into a replaced file is let go of",
    file: "src/mirror/strays.ts",
    from: "    if (!asItWas || stray.file.openForWriting()) return false;\n",
    to: "",
    test: ["test/mirror/strays.test.ts", "[I3]"],
  },
  {
    name: "a peer id is used again by the next process",
    file: "src/workspace/peer-book.ts",
    from: "    const peer = newPeer(random);\n",
    to: "    const peer = newPeer((size) => new Uint8Array(size).fill(peers.size + 1));\n",
  },
  {
    name: "the disk replica takes in what is about to be written",
    file: "src/mirror/mirror.ts",
    from: "        const put = await this.#put(wanted, expected);\n",
    to: "        this.#held.landed(wanted.mark, expected);\n        const put = await this.#put(wanted, expected);\n",
  },
  {
    name: "the file is written before the journal",
    file: "src/mirror/mirror.ts",
    from: "await Promise.allSettled([wanted.durable, noted]);",
    to: "await Promise.allSettled([undefined, noted]);",
  },
  {
    name: "a staged version takes the file's place before that is noted",
    file: "src/mirror/mirror.ts",
    from: "await Promise.allSettled([wanted.durable, noted]);",
    to: "await Promise.allSettled([wanted.durable, undefined]);",
  },
  {
    name: "what was written in place is read before it holds still",
    file: "src/mirror/mirror.ts",
    from: "      await this.#clock.sleep(SETTLE_MS, this.#abort.signal);\n      const now = this.#files.look(this.#path);\n",
    to: "      const now = this.#files.look(this.#path);\n",
  },
  {
    name: "a file was torn between the looks that called it whole and the reading",
    file: "src/mirror/mirror.ts",
    from: "if (seen === undefined || !sameImage(seen, reading.image)) {",
    to: "if (seen === undefined) {",
  },
  {
    name: "a missing file is a deleted one at once",
    file: "src/mirror/mirror.ts",
    from: "    const until = this.#clock.now() + this.#options.deleteGraceMs;\n",
    to: "    const until = this.#clock.now();\n",
    test: ["test/mirror/mirror.test.ts", "[I10]"],
  },
  {
    name: "an edit made just as the last write ended was never written",
    file: "src/mirror/mirror.ts",
    from: "if (wanted === undefined || expected === undefined) break;",
    to: "if (wanted === undefined || expected === undefined) { await this.#clock.sleep(1, this.#abort.signal); break; }",
  },
  {
    name: "a version staged before a crash is cleared away while it is still to be told by",
    file: "src/workspace/housekeeping.ts",
    from: "files.clearLeftBehind(known.flatMap(({ staged }) => (staged ? [staged.id] : [])));",
    to: "files.clearLeftBehind([]);",
  },
  {
    name: "a refused version is discarded before a later one is noted",
    file: "src/mirror/mirror.ts",
    from: "    if (staged === undefined) {\n",
    to: "    for (const earlier of this.#refused.splice(0)) earlier.discard();\n    if (staged === undefined) {\n",
    test: ["test/mirror/mirror.test.ts", "[I2]"],
  },
  {
    name: "that a version landed before a crash is not found out",
    file: "src/workspace/load.ts",
    from: "  return Math.max(proven, staged.seq);",
    to: "  return proven;",
  },
  {
    name: "notes of a save outlived the save that the store refused",
    file: "src/workspace/notes.ts",
    from: "    durable.then(store, () => undefined);",
    to: "    durable.then(store, store);",
  },
  {
    name: "changes that were refused stay in the store",
    file: "src/workspace/taken-back.ts",
    from: "      await this.#store.truncate(docId, seq);\n",
    to: "",
  },
  {
    name: "an answer is not stored with its change",
    file: "src/workspace/document.ts",
    from: "      ...meta.keep?.(change),\n",
    to: "",
    test: ["test/workspace/edit.test.ts", "[ED5]"],
  },
  {
    name: "an answer outlived its change, which the store had taken back",
    file: "src/workspace/edit.ts",
    from: "    if (change?.id !== kept.changeId || !store.snapshot(docId)) return undefined;\n",
    to: "",
  },
  {
    name: "an answer given again after a crash says mirrored of what is not",
    file: "src/workspace/edit.ts",
    from: 'mirrored: ack === "durable" ? document.holds(seq) : await mirror.reached(seq),',
    to: "mirrored: true,",
  },
  {
    name: "an edit is not carried over what happened since its base",
    file: "src/workspace/resolve.ts",
    from: "  const { splices, overlaps } = rebase(own, since);\n",
    to: "  const { overlaps } = rebase(own, since);\n  const splices = own;\n",
    test: ["test/workspace/edit.test.ts", "[ED2]"],
  },
  {
    name: "the changes of a batch are stored one by one",
    file: "src/workspace/commit.ts",
    from: "const group = changing.length > 1 ? new CommitGroup({ store, reached }) : undefined;",
    to: "const group = changing.length > 9 ? new CommitGroup({ store, reached }) : undefined;",
    test: ["test/workspace/together.test.ts", "[BA1]"],
  },
  {
    name: "an edit counts although what it stood on was refused",
    file: "src/workspace/commit-group.ts",
    from: "const kept = [this.#store.append(...parts), ...this.#stoodOn];",
    to: "const kept = [this.#store.append(...parts)];",
    test: ["test/workspace/failure.test.ts", "[ED10]"],
  },
  {
    name: "a preview is applied to a document that has changed since",
    file: "src/workspace/previews.ts",
    from: '    onStale: "reject",\n',
    to: "",
    test: ["test/protocol/previews.test.ts", "[PV3]"],
  },
  {
    name: "a conflict with a save is not told of",
    file: "src/workspace/document.ts",
    from: "if (applied.overlaps.length > 0) this.#announceConflict(actor, applied.overlaps, known);",
    to: "",
    test: ["test/workspace/edit.test.ts", "[ED11]"],
  },
  {
    name: "a rescue gives back the newest version, not a merge",
    file: "src/workspace/rescue.ts",
    from: "merge(base.toString(), known.toString(), text)",
    to: "merge(base.toString(), known.toString(), base.toString())",
    test: ["test/workspace/stale.test.ts", "[I6]"],
  },
  {
    name: "an edit in flight was taken for seen by whoever saved beside it",
    file: "src/workspace/stale.ts",
    from: "    if (change.beside) steps.push({ ...change.beside, from: seq });\n",
    to: "",
  },
  {
    name: "what was pending beside a rescued save was taken for seen",
    file: "src/workspace/document.ts",
    from: '{ origin: "undo", message, lacked, ...beside }',
    to: '{ origin: "undo", message, lacked }',
    test: ["test/workspace/stale.test.ts", "[I6]"],
  },
  {
    name: "a move whose note the store refused made the edit throw that noticed it",
    file: "src/workspace/workspace.ts",
    from: "      if (!(error instanceof StoreError)) throw error;\n      this.ports.report",
    to: "      if (error instanceof StoreError) throw error;\n      this.ports.report",
  },
  {
    name: "a moved file was noted as it was before the change that told of it was stored",
    file: "src/workspace/document.ts",
    from: "    this.#notes.update({ path: to });\n    this.#notes.seen({ image }, this.#journal.durable);\n",
    to: "    this.#notes.update({ path: to, image });\n",
  },
  {
    name: "a staged version that was not noted, and so discarded, was noted after all with the next save",
    file: "src/workspace/notes.ts",
    from: "if (this.#storable.staged === notes.staged) {",
    to: "if (false) {",
  },
  {
    name: "a moved file whose new path the store refused was taken for a new document",
    file: "src/workspace/workspace.ts",
    from: "if (failure !== undefined) return this.#context.takenBack.path(document);",
    to: "if (failure !== undefined) return;",
  },
  {
    name: "an edit that the store could neither keep nor take back was answered as done when it was sent again",
    file: "src/workspace/workspace.ts",
    from: "seq < this.#context.takenBack.owed(docId) ? this.ports.store.change(docId, seq) : undefined",
    to: "this.ports.store.change(docId, seq)",
  },
  {
    name: "positions count UTF-16 units",
    file: "src/text/positions.ts",
    from: "  for (let i = 0; i < s.length; i++) if (isHigh(s.charCodeAt(i))) chars--;\n  return chars;",
    to: "  return chars;",
  },
  {
    name: "events come before what they tell of is durable",
    file: "src/workspace/document.ts",
    from: "    this.#outbox.announce(event, this.#journal.durable);",
    to: "    this.#outbox.announce(event, Promise.resolve());",
  },
  {
    name: "of several places a patch takes the first",
    file: "src/text/ladder.ts",
    from: "  return places.length === 1 && ",
    to: "  return places.length > 0 && ",
    test: ["test/text/patch-fixtures.test.ts", "[PL15] three-times"],
  },
  {
    name: "a patch that was cut off is taken for a short one",
    file: "src/text/hunk.ts",
    from: "  const cut = body.end === lines.length && !reading.closed;",
    to: "  const cut = false;",
    test: ["test/text/patch-fixtures.test.ts", "[PL15] cut-off"],
  },
  {
    name: "a fence in a hunk ends the patch",
    file: "src/text/patch-noise.ts",
    from: "    if (behind < 0) return",
    to: "    if (behind > -2) return",
    test: ["test/text/patch-noise.test.ts", "[PA14]"],
  },
  {
    name: "an approval is stored apart from its change",
    file: "src/workspace/proposals/proposals.ts",
    from: "        return { shelved: [shelved(approved)] };\n",
    to: "        setImmediate(() => void this.#shelf.put(approved));\n        return {};\n",
    test: ["test/workspace/proposals-crash.test.ts", "[PO10]"],
  },
  {
    name: "a proposal is approved over later edits of the same characters",
    file: "src/workspace/proposals/proposals.ts",
    from: "    if (conflicts.length > 0) return refusals.overlapping(proposal, conflicts);\n",
    to: "",
    test: ["test/workspace/proposals.test.ts", "stays pending"],
  },
  {
    name: "two reviewers approve at once",
    file: "src/workspace/proposals/proposals.ts",
    from: '      return proposal.status === "pending" ? work(proposal) : refusals.closed(proposal);\n',
    to: "      return work(proposal);\n",
    test: ["test/workspace/proposals.test.ts", "[PO8]"],
  },
];
