import { Zone } from '@orrery/ovim'
import { Command } from 'commander'
import { ageOf } from '../../shared/age.js'
import { bytesText, coresText } from '../../shared/quantity-text.js'
import { addTargetOptions, type TargetOptions, withHub } from '../../shared/target.js'
import { type Detail, showDetails } from '../details.js'
import { ofLimit } from '../vdc/list.js'
import { optional } from '../vm/describe.js'
import { conditionOf, zoneNotFound } from './list.js'

/** `orrery zone describe`. */
export function describeZoneCommand(): Command {
  const command = new Command('describe')
    .description('Show a zone: its cluster, its agent, what is in use, and why it takes no virtual machines.')
    .argument('<zone>', 'name of the zone')
    .addHelpText(
      'after',
      `
Examples:
  orrery zone describe cluster1`,
    )
    .action(async (name: string, options: TargetOptions) => {
      const zone = await withHub(options, (client) => client.find(Zone, { name }))
      if (zone === undefined) throw new Error(zoneNotFound(name))
      showDetails(detailsOf(zone))
    })
  return addTargetOptions(command)
}

function detailsOf(zone: Zone): readonly Detail[] {
  const { metadata, spec, status = {} } = zone
  const { agent, capacity, usage } = status
  const cluster = spec?.clusterName ?? metadata.name
  const isConnected = conditionOf(zone, 'AgentConnected') === 'True'
  return [
    ['Name', metadata.name],
    ['Cluster', cluster],
    ['Age', ageOf(metadata.creationTimestamp)],
    ...optional('Agent', agent && `${agent.id} ${agent.version} (${agent.status})`),
    ...optional('Last contact', agent && `${ageOf(agent.lastContact)} ago, or later`),
    ...(agent?.errors ?? []).map((error): Detail => ['Error', error]),
    ...(isConnected ? [] : [['What to do', adviceFor(cluster)] as const]),
    ['Nodes', String(status.nodeCount ?? 0)],
    ['VMs', String(status.vmCount ?? 0)],
    ['VDCs', String(status.vdcCount ?? 0)],
    ['CPU', ofLimit(coresText(usage?.cpu) ?? 0, coresText(capacity?.cpu))],
    ['Memory', ofLimit(bytesText(usage?.memory) ?? 0, bytesText(capacity?.memory))],
    ['Storage', ofLimit(bytesText(usage?.storage) ?? 0, bytesText(capacity?.storage))],
    ...(status.conditions ?? []).map(
      ({ type, status: holds, reason, message }): Detail => [type, `${holds}, ${reason}: ${message}`],
    ),
  ]
}

function adviceFor(cluster: string): string {
  return (
    `Check the cluster with \`orrery get clusters ${cluster}\`, the add-on with \`orrery addon status ovim --clusters ${cluster}\`, ` +
    'and the log of the agent on the cluster with `kubectl logs -n ovim-system deployment/ovim-spoke-agent`.'
  )
}
