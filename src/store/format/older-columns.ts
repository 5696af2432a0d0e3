import { inflateRawSync } from "node:zlib";
import { Encoder } from "msgpackr";

/** Records of one form as schemas 8 to 10 stored them: the values at each place, after a mark for differences. */
interface Columns {
  /** A record with null at each place of a value. */
  readonly form: unknown;
  readonly values: readonly (readonly unknown[])[];
}

interface Rows {
  readonly forms: readonly Columns[];
  /** The form of each record. */
  readonly order: readonly number[];
}

const packer = new Encoder();

/** Decodes the records that a version before schema 11 encoded. */
export function decodeOlderRows(bytes: Uint8Array): object[] {
  const { forms, order } = packer.decode(inflateRawSync(bytes)) as Rows;
  const columns = forms.map(({ values }) => values.map(sums));
  const next = forms.map(() => 0);
  return order.map((at) => {
    const row = next[at]!++;
    const values = columns[at]!.map((column) => column[row]);
    return filled(forms[at]!.form, values.values()) as object;
  });
}

function filled(form: unknown, values: Iterator<unknown>): unknown {
  if (Array.isArray(form)) return form.map((one) => filled(one, values));
  if (form === null) return values.next().value;
  return Object.fromEntries(Object.entries(form as object).map(([key, one]) => [key, filled(one, values)]));
}

function sums([isSummed, ...column]: readonly unknown[]): unknown[] {
  if (isSummed !== true) return column;
  let sum = 0;
  return (column as number[]).map((difference) => {
    sum += difference;
    return sum;
  });
}
