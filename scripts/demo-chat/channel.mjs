/** Creates a Telegram channel, binds the agent, and verifies it with the code that the person sends to the bot. */
export async function openChannel(api, telegram, { agentName, userId }) {
  const config = { bot_token: telegram.token };
  const { id, verification_code: code } = await taken(
    api.post('/v1/channels', JSON.stringify({ channel_type: 'telegram', name: 'Demonstration', config })),
  );
  await taken(api.post(`/v1/channels/${id}/agents`, JSON.stringify({ agent_name: agentName })));
  await taken(api.post(`/v1/channels/${id}/setup-webhook`, JSON.stringify({ base_url: api.url })));
  telegram.write(userId, code);
  return { id, code };
}

async function taken(answering) {
  const answer = await answering;
  if (answer.status >= 300) throw new Error(`${answer.status}: ${answer.text}`);
  return answer.json();
}
