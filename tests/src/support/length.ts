/** Whether tests named *.long.test.js run at their full length: `node tools/run-tests.mjs --peers`. */
const isLong = process.env.ORRERY_LONG_TESTS !== undefined

/** How many rounds of a test to run: what the variable says, else many with --peers and few without. */
export function rounds(variable: string, { few, many }: { readonly few: number; readonly many: number }): number {
  return Number(process.env[variable] ?? (isLong ? many : few))
}
