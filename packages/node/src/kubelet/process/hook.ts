import type { Container, LifecycleHandler } from '@orrery/kinds'
import type { Clock } from '@orrery/kube/clock'
import { checkOf, type Execute } from '../probes/check.js'
import { type CheckResult, FINE } from '../probes/check-result.js'

/** Runs a lifecycle hook. */
export async function runHook(
  handler: LifecycleHandler,
  container: Container,
  execute: Execute,
  clock: Clock,
  signal: AbortSignal,
): Promise<CheckResult> {
  const { sleep, exec, httpGet, tcpSocket } = handler
  if (sleep === undefined) {
    const probe = { ...(exec && { exec }), ...(httpGet && { httpGet }), ...(tcpSocket && { tcpSocket }) }
    return checkOf(probe, container, execute)(() => signal)
  }
  await new Promise<void>((resolve) => {
    const cancel = clock.after(sleep.seconds * 1_000, resolve)
    signal.addEventListener(
      'abort',
      () => {
        cancel()
        resolve()
      },
      { once: true },
    )
  })
  return FINE
}
