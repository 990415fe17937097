import { kubectlSuite } from './scenario.js'
import { scenarios } from './scenarios.js'

kubectlSuite(31, scenarios)
