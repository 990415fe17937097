import { applying } from './applying.js'
import { asking } from './asking.js'
import { changing } from './changing.js'
import { creating } from './creating.js'
import { custom } from './custom.js'
import { deleting } from './deleting.js'
import { operating } from './operating.js'
import { reading } from './reading.js'

/** All scenarios of kubectl. */
export const scenarios = [
  ...custom,
  ...reading,
  ...creating,
  ...applying,
  ...changing,
  ...deleting,
  ...operating,
  ...asking,
]
