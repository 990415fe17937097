import { postgresDatabases } from '../testing/databases.fixture.js'
import { testHostileCallers } from './hostile.fixture.js'

testHostileCallers('PostgreSQL', postgresDatabases())
