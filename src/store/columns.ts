import { deflateRawSync, inflateRawSync } from "node:zlib";
import { Encoder } from "msgpackr";

/** Records of one form: the values at each place of it, record after record. Whole numbers are differences. */
interface Columns {
  /** A record with null at each place of a value. */
  readonly form: unknown;
  readonly values: unknown[][];
}

interface Rows {
  readonly forms: readonly Columns[];
  /** The form of each record. */
  readonly order: readonly number[];
}

const packer = new Encoder();

/** Encodes plain records, most of which are like the one before. */
export function encodeRows(records: readonly object[]): Uint8Array {
  const byForm = new Map<string, number>();
  const forms: Columns[] = [];
  let at = -1;
  const order = records.map((record) => {
    let values: unknown[] = [];
    if (at < 0 || !fits(forms[at]!.form, record, values)) {
      values = [];
      const form = formOf(record, values);
      const key = JSON.stringify(form);
      at = byForm.get(key) ?? forms.push({ form, values: values.map(() => []) }) - 1;
      byForm.set(key, at);
    }
    for (const [i, value] of values.entries()) forms[at]!.values[i]!.push(value);
    return at;
  });
  const rows = forms.map(({ form, values }) => ({ form, values: values.map(differences) }));
  return deflateRawSync(packer.encode({ forms: rows, order } satisfies Rows));
}

export function decodeRows(bytes: Uint8Array): object[] {
  const { forms, order } = packer.decode(inflateRawSync(bytes)) as Rows;
  const columns = forms.map(({ values }) => values.map(sums));
  const next = forms.map(() => 0);
  return order.map((at) => {
    const row = next[at]!++;
    const values = columns[at]!.map((column) => column[row]);
    return filled(forms[at]!.form, values.values()) as object;
  });
}

/** Returns a record with null at the places of its values, which it adds to `values`. */
function formOf(value: unknown, values: unknown[]): unknown {
  if (Array.isArray(value)) return value.map((one) => formOf(one, values));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, formOf(one, values)]));
  values.push(value);
  return null;
}

/** Returns true for a value that has a form, and adds its values to `values`; of any other, it may add some. */
function fits(form: unknown, value: unknown, values: unknown[]): boolean {
  if (typeof value !== "object" || value === null) {
    values.push(value);
    return form === null;
  }
  if (typeof form !== "object" || form === null || Array.isArray(form) !== Array.isArray(value)) return false;
  const [names, own] = [Object.keys(form), Object.keys(value)];
  const [forms, parts] = [form as Record<string, unknown>, value as Record<string, unknown>];
  return (
    names.length === own.length &&
    names.every((name, i) => name === own[i] && fits(forms[name], parts[name], values))
  );
}

function filled(form: unknown, values: Iterator<unknown>): unknown {
  if (Array.isArray(form)) return form.map((one) => filled(one, values));
  if (form === null) return values.next().value;
  return Object.fromEntries(Object.entries(form as object).map(([key, one]) => [key, filled(one, values)]));
}

function differences(column: readonly unknown[]): unknown[] {
  if (!column.every(Number.isSafeInteger)) return [false, ...column];
  const numbers = column as number[];
  return [true, ...numbers.map((value, i) => (i === 0 ? value : value - numbers[i - 1]!))];
}

function sums([isSummed, ...column]: readonly unknown[]): unknown[] {
  if (isSummed !== true) return column;
  let sum = 0;
  return (column as number[]).map((difference) => {
    sum += difference;
    return sum;
  });
}
