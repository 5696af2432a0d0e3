import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { newIdentity } from "../../src/link/members/identity.ts";
import { Members } from "../../src/link/members/members.ts";
import { foundWorkspace, invite, nextRecord, type Owner } from "../../src/link/members/owner.ts";
import { certify, type MembersRecord } from "../../src/link/members/records.ts";
import { newPair, signatureOf, signed } from "../../src/link/members/signing.ts";
import { everywhere, reasonOf, SharedWorkspace, SITE, unwrapped } from "./shared-workspace.ts";

describe("a certificate", () => {
  const shared = new SharedWorkspace();
  const { owner, first } = shared;
  const admit = (certificate: unknown) => reasonOf(first.members.admit(certificate));

  test("[MA57] with the owner's invitation admits its machine, any number of times", () => {
    const { certificate, identity } = shared.stranger();
    expect(first.members.machine(identity.id)).toBeUndefined();
    expect([admit(certificate), admit(certificate)]).toEqual(["ok", "ok"]);
    expect(first.members.machine(identity.id)).toMatchObject({
      name: "host",
      signing: identity.signing.public,
    });
  });

  test("[MA57] is refused when a link of its chain is missing", () => {
    const forger: Owner = { workspace: owner.workspace, signing: newPair("Ed25519") };
    const invitation = invite(owner, everywhere("read"));
    const good = certify(newIdentity("x", SITE), owner.workspace, invitation);
    const raised = { ...JSON.parse(invitation.signed.text), rules: everywhere("admin") };
    expect(admit(certify(newIdentity("x", SITE), owner.workspace, invite(forger, everywhere("admin"))))).toBe(
      "forged",
    );
    expect(admit({ ...good, invitation: { ...invitation.signed, text: JSON.stringify(raised) } })).toBe(
      "forged",
    );
    expect(admit({ ...good, invitation: invite(owner, everywhere("admin")).signed })).toBe("forged");
    expect(admit({ ...good, text: good.text.replace('"x"', '"y"') })).toBe("forged");
    expect(admit({ ...good, signature: signatureOf("certificate", good.text, forger.signing) })).toBe(
      "forged",
    );
    // The owner's signature of a record is none of an invitation.
    expect(
      admit({ ...good, invitation: signed("record", JSON.parse(invitation.signed.text), owner.signing) }),
    ).toBe("forged");
    expect(admit(good)).toBe("ok");
  });

  test("[MA57] of another workspace is refused", () => {
    const elsewhere: Owner = { ...foundWorkspace().owner, signing: owner.signing };
    expect(
      admit(certify(newIdentity("x", SITE), elsewhere.workspace, invite(elsewhere, everywhere("read")))),
    ).toBe("foreign");
    expect(
      admit(certify(newIdentity("x", SITE), elsewhere.workspace, invite(owner, everywhere("read")))),
    ).toBe("foreign");
  });

  test("[MA58] for another's machine is refused, and for another's id", () => {
    const victim = shared.join();
    const own = newIdentity("x", SITE);
    const invitation = invite(owner, everywhere("none"));
    const victims = certify(victim.identity, owner.workspace, invitation);
    const proof = signatureOf("possession", victims.text, own.signing);
    expect(admit({ ...victims, proof })).toBe("forged");
    expect(admit(certify({ ...own, id: victim.identity.id }, owner.workspace, invitation))).toBe("forged");
    const { text } = victim.certificate;
    const lowered = { ...victim.certificate, invitation: invitation.signed };
    expect(admit({ ...lowered, signature: signatureOf("certificate", text, invitation.key) })).toBe("forged");
    expect(admit(victims)).toBe("taken");
    expect(first.members.levelOf(victim.identity.id, "a.md")).toBe("write");
  });

  test("[MA57] with a key to which nothing can be sealed is refused", () => {
    const none = {
      ...newIdentity("x", SITE),
      sealing: { public: Buffer.alloc(32).toString("base64url"), secret: "" },
    };
    expect(admit(certify(none, owner.workspace, invite(owner, everywhere("read"))))).toBe("malformed");
  });

  test("[MA57] and a record of any form are taken or refused, and never throw", () => {
    const { certificate } = shared.stranger();
    const part = fc.oneof(fc.constantFrom(...Object.values(certificate)), fc.jsonValue());
    const any = fc.record({ invitation: part, text: part, signature: part, proof: part });
    const members = new Members(owner.workspace, owner.signing.public);
    fc.assert(
      fc.property(fc.oneof(any, fc.anything()), (value) => {
        members.admit(value);
        expect(members.certificates.every(({ text }) => text === certificate.text)).toBe(true);
        expect(["malformed", "forged"]).toContain(reasonOf(members.take(value)));
      }),
    );
    // The owner signs values of any form only by mistake, and that must not throw either.
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(reasonOf(members.take(signed("record", value, owner.signing)))).toBe("malformed");
      }),
      { numRuns: 30 },
    );
  });
});

describe("a machine's level", () => {
  test("[MA59] is what the first matching rule of its invitation says, as for a token", () => {
    const shared = new SharedWorkspace();
    const { identity } = shared.join([
      { glob: "drafts/**", level: "write" },
      { glob: "secret/**", level: "none" },
      { glob: "**", level: "propose" },
    ]);
    const level = (path: string) => shared.first.members.levelOf(identity.id, path);
    expect(["drafts/a.md", "secret/a.md", "SECRET/a.md", "a.md"].map(level)).toEqual([
      "write",
      "none",
      "none",
      "propose",
    ]);
    expect(shared.first.members.levelOf("m_0000000000000000", "a.md")).toBe("none");
  });

  test("[MA59] below admin is to read what other programs obey", () => {
    const shared = new SharedWorkspace();
    const { identity } = shared.join(everywhere("write"));
    expect(shared.first.members.levelOf(identity.id, ".vscode/tasks.json")).toBe("read");
    expect(shared.first.members.levelOf(shared.first.identity.id, ".vscode/tasks.json")).toBe("admin");
  });

  test("[MA60] changes after the message that the owner names, and at once for words", () => {
    const shared = new SharedWorkspace();
    const { identity } = shared.join(everywhere("write"));
    const level = (number?: number) => shared.first.members.levelOf(identity.id, "a.md", number);
    shared.publish({ rules: [{ machine: identity.id, after: 5, rules: everywhere("read") }] });
    expect([level(5), level(6), level()]).toEqual(["write", "read", "read"]);
    shared.publish({ rules: [{ machine: identity.id, after: 9, rules: everywhere("propose") }] });
    expect([level(5), level(9), level(10), level()]).toEqual(["write", "read", "propose", "propose"]);
  });
});

describe("a removed machine", () => {
  test("[MA61] has no rights after its last message, and keeps those of its messages before", () => {
    const shared = new SharedWorkspace();
    const gone = shared.join();
    shared.publish({ removed: [{ machine: gone.identity.id, after: 7 }] });
    const { members } = shared.first;
    const standing = [7, 8, 0].map((number) => members.standing(gone.identity.id, number));
    expect(standing).toEqual([undefined, "removed", "removed"]);
    expect([7, 8, 0].map((number) => members.levelOf(gone.identity.id, "a.md", number))).toEqual([
      "write",
      "none",
      "none",
    ]);
    expect(members.present.map(({ machine }) => machine)).toEqual([shared.first.identity.id]);
    expect(reasonOf(members.admit(gone.certificate))).toBe("ok");
    expect(members.standing(gone.identity.id)).toBe("removed");
    shared.publish();
    expect(members.standing(gone.identity.id, 8)).toBe("removed");
  });
});

describe("a record of the owner", () => {
  test("[MA62] counts when it is newer, and an old one changes nothing", () => {
    const shared = new SharedWorkspace();
    const member = shared.join();
    const id = member.identity.id;
    const before = shared.publish();
    const removal = shared.publish({ removed: [{ machine: id, after: 3 }] });
    const { members } = shared.first;
    expect(reasonOf(members.take(before))).toBe("older");
    expect(reasonOf(members.take(removal))).toBe("known");
    expect(members.standing(id)).toBe("removed");
    expect(members.record?.signed).toEqual(removal);
    // A machine that was away may skip revisions.
    expect(reasonOf(shared.stranger().members.take(removal))).toBe("ok");
  });

  test("[MA62] is refused when it is forged, of another workspace, or has another of its revision", () => {
    const shared = new SharedWorkspace();
    const { members, keys } = shared.first;
    const { id } = shared.join().identity;
    const removed = [{ machine: id, after: 0 }];
    const forger: Owner = { workspace: shared.owner.workspace, signing: newPair("Ed25519") };
    expect(reasonOf(members.take(nextRecord(forger, members, keys, { removed })))).toBe("forged");
    const good = nextRecord(shared.owner, members, keys);
    expect(reasonOf(members.take({ ...good, text: good.text.replace('"revision":1', '"revision":2') }))).toBe(
      "forged",
    );
    const elsewhere: Owner = { ...foundWorkspace().owner, signing: shared.owner.signing };
    expect(reasonOf(members.take(nextRecord(elsewhere, members, keys, { removed })))).toBe("foreign");
    const fork = nextRecord(shared.owner, members, keys, { removed });
    expect(reasonOf(members.take(good))).toBe("ok");
    expect(reasonOf(members.take(fork))).toBe("forked");
    expect(members.standing(id)).toBeUndefined();
  });
});

describe("a retired invitation", () => {
  test("[MA63] admits no other machine, and keeps those that it had admitted", () => {
    const shared = new SharedWorkspace();
    const leaked = invite(shared.owner, everywhere("write"));
    const kept = shared.joinWith(leaked);
    const late = shared.stranger(leaked);
    // One member knew a machine that the owner did not know yet.
    const early = shared.stranger(leaked);
    unwrapped(kept.members.admit(early.certificate));
    shared.publish({ retired: [leaked.key.public] });
    const { members } = shared.first;
    expect(members.standing(kept.identity.id)).toBeUndefined();
    expect(reasonOf(members.admit(late.certificate))).toBe("retired");
    expect(kept.members.standing(early.identity.id, 1)).toBe("removed");
    shared.publish({ retired: [leaked.key.public] });
    expect(reasonOf(members.admit(late.certificate))).toBe("retired");
    expect(members.record?.value.retired).toHaveLength(1);
    expect(reasonOf(members.admit(shared.stranger().certificate))).toBe("ok");
  });
});

describe("the number of machines", () => {
  test("[MA57] is bounded in a record", () => {
    const shared = new SharedWorkspace();
    const value = JSON.parse(
      nextRecord(shared.owner, shared.first.members, shared.first.keys).text,
    ) as MembersRecord;
    const machines = Array.from({ length: 1001 }, () => ({ machine: shared.first.identity.id, changes: [] }));
    expect(
      reasonOf(shared.first.members.take(signed("record", { ...value, machines }, shared.owner.signing))),
    ).toBe("malformed");
  });
});
