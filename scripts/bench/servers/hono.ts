import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { isAdmitted, listening, paths, positions, quote, type Serve } from './served.ts'

/** The two operations on Hono as one writes them by hand. */
export const serve: Serve = async (tokens) => {
  const app = new Hono()
  app.use(async (context, next) => {
    if (!isAdmitted(tokens, context.req.header('authorization'))) return context.json({ error: 'unauthenticated' }, 401)
    return await next()
  })
  app.post(paths.quote, async (context) => {
    const input = quote.input.safeParse(await context.req.json())
    return input.success ? context.json(quote.example.output) : context.json(input.error.issues, 422)
  })
  app.get(paths.positions, (context) => {
    const input = positions.input.safeParse(context.req.query())
    return input.success ? context.json(positions.example.output) : context.json(input.error.issues, 422)
  })
  return { http: await listening(createServer(getRequestListener(app.fetch))) }
}
