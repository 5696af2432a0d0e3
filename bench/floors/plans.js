import { placed } from "./patch.js";

/** What was placed of the patches that wait for a confirmation. @type {{ version: number, splices: object[] }[]} */
const patches = [];

/** Makes the edits of requests; returns their splices in the newest version. */
export const PLANS = {
  "edit.splice": (document, { version, splices }) =>
    document.splice(version === "latest" ? document.version : Number(version), splices),
  "edit.replace": (document, { old, new: insert }) => {
    const from = document.text.only(old);
    return document.splice(document.version, [{ from, to: from + old.length, insert }]);
  },
  "edit.append": (document, { text: insert }) => {
    const { length } = document.text;
    return document.splice(document.version, [{ from: length, to: length, insert }]);
  },
  "edit.patch": (document, { confirm }) =>
    document.splice(patches[confirm].version, patches[confirm].splices),
};

/** Places a patch; returns the number that confirms it. */
export function proposed({ version, text }, patch) {
  return { confirm: patches.push({ version, splices: placed(text.toString(), patch) }) - 1 };
}
