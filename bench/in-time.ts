/** Waits for some work. @throws with `message` when it takes longer than `ms` */
export async function inTime<Result>(
  work: Promise<Result>,
  ms: number,
  message: () => string,
): Promise<Result> {
  let late: NodeJS.Timeout | undefined;
  const patience = new Promise<never>((_, reject) => {
    late = setTimeout(() => reject(new Error(message())), ms);
  });
  return Promise.race([work, patience]).finally(() => clearTimeout(late));
}
