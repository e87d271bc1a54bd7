import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod';
import { refused } from '../../errors.ts';
import { errorResponses } from '../../schemas/error-answers.ts';
import { NO_BODY, NoBody } from '../../schemas/parts.ts';
import { AddUserToTeam, ListTeams, SaveTeam, Team, TeamMemberPath, TeamPage, TeamPath } from './schema.ts';
import {
  addTeamMember,
  createTeam,
  getTeam,
  pageOfTeams,
  removeTeam,
  removeTeamMember,
  replaceTeam,
} from './service.ts';

const tags = ['teams'];

export const teamRoutes: FastifyPluginAsyncZod = async (app) => {
  app.get('/teams', {
    config: { scope: 'teams:read' },
    schema: {
      operationId: 'listTeams',
      summary: 'List teams',
      description: 'Lists teams in the order of creation, with their members.',
      tags,
      querystring: ListTeams,
      response: { 200: TeamPage, ...errorResponses(403) },
    },
    handler: ({ db, org, query }) => pageOfTeams(db, org.id, query),
  });

  app.post('/teams', {
    config: { scope: 'teams:write' },
    schema: {
      operationId: 'createTeam',
      summary: 'Create a team',
      description: 'Creates a team without members, which assigns sessions to them by its strategy.',
      tags,
      body: SaveTeam,
      response: { 201: Team, ...errorResponses(403) },
    },
    handler: async ({ db, org, body }, reply) => {
      reply.code(201);
      return createTeam(db, org.id, body);
    },
  });

  app.get('/teams/:id', {
    config: { scope: 'teams:read' },
    schema: {
      operationId: 'getTeam',
      summary: 'Get a team',
      description: 'Returns the team with its members.',
      tags,
      params: TeamPath,
      response: { 200: Team, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params }) => getTeam(db, org.id, params.id),
  });

  app.put('/teams/:id', {
    config: { scope: 'teams:write' },
    schema: {
      operationId: 'updateTeam',
      summary: 'Replace a team',
      tags,
      description: 'Replaces everything except the members: an absent field gets its default.',
      params: TeamPath,
      body: SaveTeam,
      response: { 200: Team, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params, body }) => replaceTeam(db, org.id, params.id, body),
  });

  app.delete('/teams/:id', {
    config: { scope: 'teams:write' },
    schema: {
      operationId: 'deleteTeam',
      summary: 'Delete a team',
      tags,
      description:
        'Its members stay in the organization. Its sessions lose the team, some time later if they are many, and keep their assignees. Inbox views that are shared with it are deleted.',
      params: TeamPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removeTeam(db, org.id, params.id);
      return NO_BODY;
    },
  });

  app.post('/teams/:id/users', {
    config: { scope: 'teams:write' },
    schema: {
      operationId: 'addUserToTeam',
      summary: 'Add a member to a team',
      tags,
      description:
        'Adds a member of the organization, who may belong to several teams. Adding the member again changes nothing.',
      params: TeamPath,
      body: AddUserToTeam,
      response: { 200: Team, ...errorResponses(403, 404) },
    },
    handler: ({ db, org, params, body }) => {
      if (body.groupId !== undefined && body.groupId !== params.id)
        throw refused('groupId', 'must be the team of the path, or absent');
      return addTeamMember(db, org.id, params.id, body.userId);
    },
  });

  app.delete('/teams/:id/users/:userId', {
    config: { scope: 'teams:write' },
    schema: {
      operationId: 'removeUserFromTeam',
      summary: 'Remove a member from a team',
      description: 'Ends the membership in this team. Sessions that are assigned to the member stay so.',
      tags,
      params: TeamMemberPath,
      response: { 200: NoBody, ...errorResponses(403, 404) },
    },
    handler: async ({ db, org, params }) => {
      await removeTeamMember(db, org.id, params.id, params.userId);
      return NO_BODY;
    },
  });
};
