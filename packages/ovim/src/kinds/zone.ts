import { AGE_COLUMN, conditionColumn, type DefinedKind, defineKind, type Read, t } from '@orrery/api/schema'
import type { DraftOf, ObjectOf } from '@orrery/kinds'
import { objectName } from './fields.js'
import { OVIM_GROUP, OVIM_VERSION } from './names.js'

const spec = t.object(
  {
    clusterName: t.optional(
      objectName('ClusterName is the name of the ManagedCluster of the zone. Defaults to the name of the zone.'),
    ),
    unschedulable: t.optional(
      t.boolean({
        description:
          'Unschedulable keeps new virtual data centers and virtual machines out of the zone. Defaults to false.',
      }),
    ),
  },
  { description: 'Spec is what an administrator decides about the zone.' },
)

const agent = t.object(
  {
    id: t.string({ description: 'ID is the id of the agent.' }),
    status: t.enum(['healthy', 'degraded', 'unavailable', 'stale'], {
      description: 'Status is what the agent last reported, or stale if it has not reported for five minutes.',
    }),
    version: t.string({ description: 'Version is the version of the agent. It can be empty.' }),
    lastContact: t.time({
      description:
        'LastContact is when the agent last reported. It is written again after five minutes, not for each report.',
    }),
    errors: t.optional(
      t.array(t.string(), {
        description: 'Errors are the errors of the last report, at most 10 of them.',
        maxItems: 10,
      }),
    ),
  },
  { description: 'Agent is the agent of the zone.' },
)

const resources = (description: string) =>
  t.object(
    {
      cpu: t.quantity({ description: 'CPU in cores.' }),
      memory: t.quantity({ description: 'Memory in bytes.' }),
      storage: t.quantity({ description: 'Storage in bytes.' }),
    },
    { description },
  )

const count = (description: string) => t.integer({ description, format: 'int32' })

const status = t.object(
  {
    agent: t.optional(agent),
    capacity: t.optional(resources('Capacity is the capacity of the cluster.')),
    usage: t.optional(
      resources(
        'Usage is what is in use on the cluster. It is written when it changes by a hundredth of the capacity.',
      ),
    ),
    templatesHash: t.optional(
      t.string({ description: 'TemplatesHash is the hash of the templates that the agent was told about.' }),
    ),
    nodeCount: t.optional(count('NodeCount is the number of nodes.')),
    vmCount: t.optional(count('VMCount is the number of virtual machines on the cluster.')),
    vdcCount: t.optional(count('VDCCount is the number of virtual data centers on the cluster.')),
    conditions: t.optional(
      t.conditions({
        description:
          'Conditions describe the zone. AgentConnected is True if the agent reports. Schedulable is True if new virtual ' +
          'machines can be created in the zone.',
      }),
    ),
  },
  { description: 'Status is what the agent of the zone reports.' },
)

const definition = defineKind({
  group: OVIM_GROUP,
  version: OVIM_VERSION,
  kind: 'Zone',
  plural: 'zones',
  scope: 'Cluster',
  categories: ['ovim'],
  description:
    'Zone is a cluster that runs virtual machines. The hub creates it when the agent of the cluster reports for the first ' +
    'time. The agent needs the permission to update zones/agent with the name of the zone.',
  fields: { spec: t.optional(spec), status: t.optional(status) },
  statusSubresource: true,
  columns: [
    conditionColumn('Connected', 'AgentConnected'),
    conditionColumn('Schedulable', 'Schedulable'),
    { name: 'Agent', type: 'string', jsonPath: '.status.agent.status' },
    { name: 'VMs', type: 'integer', jsonPath: '.status.vmCount' },
    { name: 'VDCs', type: 'integer', jsonPath: '.status.vdcCount' },
    { name: 'CPU', type: 'string', jsonPath: '.status.capacity.cpu', priority: 1 },
    { name: 'Memory', type: 'string', jsonPath: '.status.capacity.memory', priority: 1 },
    AGE_COLUMN,
  ],
})

export interface ZoneStatus extends Read<typeof status> {}
export interface ZoneAgent extends Read<typeof agent> {}

/** A cluster that runs virtual machines. */
export interface Zone extends ObjectOf<typeof definition> {}
export interface NewZone extends DraftOf<typeof definition> {}
export const Zone: DefinedKind<Zone, NewZone> = definition
