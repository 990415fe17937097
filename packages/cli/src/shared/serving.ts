import { isIP } from 'node:net'
import { advertisedUrl, type HubSettings, isExposed, LOOPBACK, type PartPlan } from '@orrery/fleet'
import { type Command, InvalidArgumentError } from 'commander'
import { hostNames, portNumber } from '../arguments.js'

/** The address options of an embedded hub. */
export interface ServingOptions {
  readonly port?: number
  readonly bindAddress?: string
  readonly advertiseAddress?: string
  readonly tlsSan?: readonly string[]
}

/** The attribute names of these options. */
export const SERVING_OPTIONS: readonly string[] = ['port', 'bindAddress', 'advertiseAddress', 'tlsSan']

/** `--port`, and `--bind-address`, `--advertise-address` and `--tls-san` as kube-apiserver and k3s call them. */
export function addServingOptions(command: Command): Command {
  return command
    .option('--port <number>', 'port of an embedded hub (default: its previous port, at first a free port)', portNumber)
    .option(
      '--bind-address <ip>',
      `IP address that an embedded hub listens on; 0.0.0.0 for all (default: its previous address, at first ${LOOPBACK})`,
      ipAddress,
    )
    .option(
      '--advertise-address <host>',
      'host name or IP address at which clusters on other machines reach the hub (default: the bind address)',
      hostName,
    )
    .option('--tls-san <name...>', 'additional host names and IP addresses of its serving certificate', hostNames)
}

function ipAddress(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError('Use an IP address.')
  return text
}

function hostName(text: string): string {
  const [name = ''] = hostNames(text)
  return name
}

/** The requested address of the hub. */
export function hubSettings({ port, bindAddress, advertiseAddress, tlsSan }: ServingOptions): HubSettings {
  return {
    ...(port !== undefined && { port }),
    ...(bindAddress !== undefined && { bindAddress }),
    ...(advertiseAddress !== undefined && { advertiseAddress }),
    ...(tlsSan !== undefined && { tlsSans: tlsSan }),
  }
}

/** The same options as command-line arguments. */
export function servingArguments({
  port,
  bindAddress,
  advertiseAddress,
  tlsSan = [],
}: ServingOptions): readonly string[] {
  return [
    ...(port === undefined ? [] : ['--port', String(port)]),
    ...(bindAddress === undefined ? [] : ['--bind-address', bindAddress]),
    ...(advertiseAddress === undefined ? [] : ['--advertise-address', advertiseAddress]),
    ...tlsSan.flatMap((name) => ['--tls-san', name]),
  ]
}

/** Describes what other machines can reach; empty if the hub listens on the loopback address only. */
export function exposureNotice({ port, serving = {} }: PartPlan, autoApprove: boolean): string {
  if (!isExposed(serving)) return ''
  const { bindAddress } = serving
  const url = advertisedUrl(serving, port)
  const join = autoApprove
    ? 'The hub accepts every cluster that has the join token: keep the token secret.'
    : 'Clusters that have the join token can request to join.'
  return [
    `The hub listens on ${bindAddress} port ${port}: other machines can connect to its API.`,
    'Without credentials they can read its health and version. Clusters on this machine still listen on the loopback address only.',
    join,
    url === undefined
      ? 'The hub has no address for clusters on other machines: set one with --advertise-address.'
      : `Clusters on other machines join at ${url}: run \`orrery get token\` to print the command.`,
    '',
  ].join('\n')
}
