import { type ClosingStep, closeAll } from '@orrery/kube/process'

/** A part that runs in this process. */
export interface RunningPart {
  readonly url: string
  close(): Promise<void>
}

/**
 * Builds a part from resources that are closed in reverse order. If it fails half-way, the resources opened so far
 * are closed.
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
