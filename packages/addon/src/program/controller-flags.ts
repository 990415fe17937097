import type { RunControllersOptions } from '@orrery/kube/manager'
import { parseFlags, textFlag } from './flags.js'
import { UsageError } from './usage-error.js'

/** The options of `runAddonManager` that its flags set. */
export type ControllerFlags = Pick<RunControllersOptions, 'cluster' | 'election'>

/**
 * Parses the flags of an add-on's controller, as in Open Cluster Management: `--kubeconfig` for another cluster than kubectl's or the
 * one it runs in, `--enable-leader-election` for several replicas, and `--component-namespace` for the Lease of the election.
 */
export function parseControllerFlags(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ControllerFlags {
  const values = parseFlags(args, ['kubeconfig', 'component-namespace'], ['enable-leader-election'])
  const kubeconfig = textFlag(values, 'kubeconfig')
  const namespace = textFlag(values, 'component-namespace') ?? environment.POD_NAMESPACE
  const isElected = values['enable-leader-election'] === true
  if (isElected && namespace === undefined) {
    throw new UsageError('--enable-leader-election needs --component-namespace: the namespace of its Lease')
  }
  return {
    ...(kubeconfig !== undefined && { cluster: kubeconfig }),
    ...(isElected && namespace !== undefined && { election: { namespace } }),
  }
}
