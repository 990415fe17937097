/** A part that runs in this process. */
export interface RunningPart {
  readonly url: string
  close(): Promise<void>
}

type Step = () => Promise<void> | void

/**
 * Builds a part out of things that have to be closed, the last first. Should it fail half-way, what is there already is
 * closed.
 */
export async function closing(build: (onClose: (step: Step) => void) => Promise<string>): Promise<RunningPart> {
  const steps: Step[] = []
  const close = async () => {
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
  try {
    return { url: await build((step) => steps.push(step)), close }
  } catch (error) {
    await close()
    throw error
  }
}
