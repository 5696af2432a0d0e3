import { Encoder } from "msgpackr";
import { type Column, columnOf, valuesOf } from "./column.ts";
import { deflated, inflated } from "./deflated.ts";
import { numbersOf, varintsOf } from "./varints.ts";

/** Records with the same fields, also in the plain objects in them: the values at each place, record after record. */
interface Columns {
  /** A record with null at each place of a value. */
  readonly form: Form;
  readonly columns: readonly Column[];
}

type Form = null | { readonly [name: string]: Form };

interface Rows {
  readonly forms: readonly Columns[];
  /** The form of each record. */
  readonly order: Uint8Array;
}

const packer = new Encoder();

/** Encodes plain records, most of which are like the one before. */
export function encodeRows(records: readonly object[]): Buffer {
  const byForm = new Map<string, number>();
  const forms: { readonly form: Form; readonly values: unknown[][] }[] = [];
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
  const rows: Rows = {
    forms: forms.map(({ form, values }) => ({ form, columns: values.map(columnOf) })),
    order: deflated(varintsOf(order)),
  };
  return deflated(packer.encode(rows));
}

export function decodeRows(bytes: Uint8Array): object[] {
  const { forms, order } = packer.decode(inflated(bytes)) as Rows;
  const readers = forms.map(({ form, columns }) => readerOf(form, columns.map(valuesOf).values()));
  const next = forms.map(() => 0);
  return numbersOf(inflated(order)).map((at) => readers[at]!(next[at]!++) as object);
}

/** Returns a value with null at the places of its values, which it adds to `values`. */
function formOf(value: unknown, values: unknown[]): Form {
  if (!isPlain(value)) {
    values.push(value);
    return null;
  }
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, formOf(one, values)]));
}

/** Returns true for a value that has a form, and adds its values to `values`; of any other, it may add some. */
function fits(form: Form, value: unknown, values: unknown[]): boolean {
  if (!isPlain(value)) {
    values.push(value);
    return form === null;
  }
  if (form === null) return false;
  const names = Object.keys(form);
  const own = Object.keys(value);
  return (
    names.length === own.length &&
    names.every((name, i) => name === own[i] && fits(form[name]!, value[name], values))
  );
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

/** Returns a function that makes the value of a row. Takes the columns of the form's places, in their order. */
function readerOf(form: Form, columns: Iterator<readonly unknown[]>): (row: number) => unknown {
  if (form === null) {
    const column = columns.next().value as readonly unknown[];
    return (row) => column[row];
  }
  const fields = Object.entries(form).map(([name, inner]) => [name, readerOf(inner, columns)] as const);
  return (row) => {
    const value: Record<string, unknown> = {};
    for (const [name, read] of fields) value[name] = read(row);
    return value;
  };
}
