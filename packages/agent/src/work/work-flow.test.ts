import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ADDON_NAME_LABEL, type ManifestWork, ORIGINAL_SOURCE_LABEL, REPLICA_SET_LABEL } from '@orrery/api'
import { workFlow } from './work-flow.js'

const flowWith = (labels?: Record<string, string>) =>
  workFlow({ metadata: { name: 'w', ...(labels !== undefined && { labels }) } as ManifestWork['metadata'] })

test('workFlow: is the namespace of the replica set, the add-on or the source of a work', () => {
  assert.equal(flowWith({ [REPLICA_SET_LABEL]: 'team-a.web' }), flowWith({ [REPLICA_SET_LABEL]: 'team-a.db.v2' }))
  const flows = [
    flowWith({ [REPLICA_SET_LABEL]: 'team-a.web' }),
    flowWith({ [REPLICA_SET_LABEL]: 'team-b.web' }),
    flowWith({ [ADDON_NAME_LABEL]: 'team-a' }),
    flowWith({ [ORIGINAL_SOURCE_LABEL]: 'team-a' }),
    flowWith(),
  ]
  assert.equal(new Set(flows).size, flows.length)
  assert.equal(flowWith({ app: 'web' }), flowWith())
})
