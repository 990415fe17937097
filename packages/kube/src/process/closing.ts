/** Closes one thing. */
export type ClosingStep = () => unknown

/** Closes things, the last first, and each but once. One that fails keeps none of the others from being closed. */
export async function closeAll(steps: ClosingStep[]): Promise<void> {
  const failures: unknown[] = []
  for (const step of steps.splice(0).reverse()) {
    try {
      await step()
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}
