import type { Row } from "./bench.ts";
import { l1 } from "./rows/l1.ts";
import { l2 } from "./rows/l2.ts";
import { p1 } from "./rows/p1.ts";
import { p2 } from "./rows/p2.ts";
import { p3 } from "./rows/p3.ts";
import { p4 } from "./rows/p4.ts";
import { p5 } from "./rows/p5.ts";
import { p6 } from "./rows/p6.ts";
import { p7 } from "./rows/p7.ts";
import { p8 } from "./rows/p8.ts";
import { p9 } from "./rows/p9.ts";
import { p10 } from "./rows/p10.ts";
import { p11 } from "./rows/p11.ts";
import { p12 } from "./rows/p12.ts";
import { p13 } from "./rows/p13.ts";
import { p14 } from "./rows/p14.ts";
import { p15 } from "./rows/p15.ts";
import { p16 } from "./rows/p16.ts";
import { p17 } from "./rows/p17.ts";
import { p18 } from "./rows/p18.ts";
import { p19 } from "./rows/p19.ts";
import { p20 } from "./rows/p20.ts";
import { p21 } from "./rows/p21.ts";
import { p22 } from "./rows/p22.ts";
import { t1 } from "./rows/t1.ts";
import { t2 } from "./rows/t2.ts";

const ROWS: Readonly<Record<string, Row>> = {
  P1: p1,
  P2: p2,
  P3: p3,
  P4: p4,
  P5: p5,
  P6: p6,
  P7: p7,
  P8: p8,
  P9: p9,
  P10: p10,
  P11: p11,
  P12: p12,
  P13: p13,
  P14: p14,
  P15: p15,
  P16: p16,
  P17: p17,
  P18: p18,
  P19: p19,
  P20: p20,
  P21: p21,
  P22: p22,
  L1: l1,
  L2: l2,
  T1: t1,
  T2: t2,
};

/** The names of all rows. */
export const NAMES = Object.keys(ROWS);

/** Returns the rows of these names, in lower or upper case. @throws RangeError when there is no such row */
export function rowsOf(names: readonly string[]): [name: string, row: Row][] {
  return names.map((given) => {
    const name = given.toUpperCase();
    const row = ROWS[name];
    if (row === undefined) throw new RangeError(`there is no row ${given}; the rows are ${NAMES.join(", ")}`);
    return [name, row];
  });
}
