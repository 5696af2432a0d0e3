import { expect, test } from "vitest";
import { personHere } from "../../src/daemon/person.ts";

test("[WP4] a person goes by their user name, and by another where there is none, or it is the daemon's own", () => {
  expect(personHere(() => "ada")).toBe("ada");
  for (const own of ["disk", "spliced", ""]) expect(personHere(() => own)).toBe("person");
  const nobody = () => {
    throw new Error("uv_os_get_passwd returned ENOENT");
  };
  expect(personHere(nobody)).toBe("person");
});
