import { type ClosingStep, closeAll } from '@orrery/kube/process'

/** A part that runs in this process. */
export interface RunningPart {
  readonly url: string
  close(): Promise<void>
}

/**
 * Builds a part out of things that have to be closed, the last first. Should it fail half-way, what is there already is
 * closed.
 */
export async function closing(build: (onClose: (step: ClosingStep) => void) => Promise<string>): Promise<RunningPart> {
  const steps: ClosingStep[] = []
  const close = () => closeAll(steps)
  try {
    return { url: await build((step) => steps.push(step)), close }
  } catch (error) {
    await close()
    throw error
  }
}
