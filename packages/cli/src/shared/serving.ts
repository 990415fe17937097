import { isIP } from 'node:net'
import { advertisedUrl, type HubWish, isExposed, LOOPBACK, type PartPlan } from '@orrery/fleet'
import { type Command, InvalidArgumentError } from 'commander'
import { hostNames, portNumber } from '../arguments.js'

/** Where an embedded hub can be reached, as typed. */
export interface ServingOptions {
  readonly port?: number
  readonly bindAddress?: string
  readonly advertiseAddress?: string
  readonly tlsSan?: readonly string[]
}

/** The options above, by their names in commands. */
export const SERVING_OPTIONS: readonly string[] = ['port', 'bindAddress', 'advertiseAddress', 'tlsSan']

/** `--port`, and `--bind-address`, `--advertise-address` and `--tls-san` as kube-apiserver and k3s call them. */
export function addServingOptions(command: Command): Command {
  return command
    .option('--port <number>', 'port of an embedded hub (default: the one it had)', portNumber)
    .option(
      '--bind-address <ip>',
      `address that an embedded hub listens on; 0.0.0.0 is all (default: the one it had, at first ${LOOPBACK})`,
      ipAddress,
    )
    .option(
      '--advertise-address <host>',
      'name or address that clusters on other machines reach the hub at (default: the one it listens on)',
      hostName,
    )
    .option('--tls-san <name...>', 'further names and addresses for its serving certificate', hostNames)
}

function ipAddress(text: string): string {
  if (isIP(text) === 0) throw new InvalidArgumentError('It is not an IP address.')
  return text
}

function hostName(text: string): string {
  const [name = ''] = hostNames(text)
  return name
}

/** What is wanted of the hub. */
export function hubWish({ port, bindAddress, advertiseAddress, tlsSan }: ServingOptions): HubWish {
  return {
    ...(port !== undefined && { port }),
    ...(bindAddress !== undefined && { bindAddress }),
    ...(advertiseAddress !== undefined && { advertiseAddress }),
    ...(tlsSan !== undefined && { tlsSans: tlsSan }),
  }
}

/** The options that say the same again. */
export function servingWords({ port, bindAddress, advertiseAddress, tlsSan = [] }: ServingOptions): readonly string[] {
  return [
    ...(port === undefined ? [] : ['--port', String(port)]),
    ...(bindAddress === undefined ? [] : ['--bind-address', bindAddress]),
    ...(advertiseAddress === undefined ? [] : ['--advertise-address', advertiseAddress]),
    ...tlsSan.flatMap((name) => ['--tls-san', name]),
  ]
}

/** What becomes reachable, where a hub listens for other machines; empty where it does not. */
export function exposureNotice({ port, serving = {} }: PartPlan, autoApprove: boolean): string {
  if (!isExposed(serving)) return ''
  const { bindAddress } = serving
  const url = advertisedUrl(serving, port)
  const join = autoApprove
    ? 'It accepts every cluster that has the join token: keep the token secret.'
    : 'Clusters that have the join token can ask to be accepted.'
  return [
    `The hub listens on ${bindAddress} port ${port}: every machine that reaches this one there can open connections to its API.`,
    'Without credentials they can read its health and version. The APIs of clusters on this machine stay on the loopback address.',
    join,
    url === undefined
      ? 'No address for clusters on other machines is known: name one with --advertise-address.'
      : `Clusters on other machines join at ${url}: \`orrery get token\` prints how.`,
    '',
  ].join('\n')
}
