import { expect, test } from "vitest";
import { userName } from "../src/user-name.ts";

test("[WP4] a user without a name in the system has none", () => {
  expect(userName(() => "ada")).toBe("ada");
  expect(userName(() => "")).toBeUndefined();
  const unknown = () => {
    throw new Error("uv_os_get_passwd returned ENOENT");
  };
  expect(userName(unknown)).toBeUndefined();
});
