/** Closes one resource. */
export type ClosingStep = () => unknown

/** Closes resources in reverse order, each only once. An error does not keep the others from being closed. */
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
