// Made from docs/openapi.json by scripts/client-types.mjs; `npm run openapi` runs it.
export interface paths {
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List tokens
         * @description Only with scope `admin`. Newest first, without the tokens themselves.
         */
        get: operations["Tokens_list"];
        put?: never;
        /**
         * Create a token
         * @description With scope `runner` or `admin`. Only this response shows the token. A token of scope `runner` can create narrower ones: of the same scope, for its own agents or fewer. They end with it at the latest, also if it is revoked, and cannot create tokens themselves.
         */
        post: operations["Tokens_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/self": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What may this token do?
         * @description With scope `runner`, `approver`, `reader`, `metrics` or `admin`. For programs that check their token before they start.
         */
        get: operations["Tokens_self"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Revoke a token
         * @description With scope `runner` or `admin`. Takes effect at once, on every instance, and also revokes the tokens that end with it. Tokens created by an admin token stay valid unless you pass `with_children`. A token of scope `runner` can revoke only the tokens it created. Open streams send events for at most one more second, and end at the next event or within 15 s. Long responses are cut off within a second.
         */
        delete: operations["Tokens_revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a code for the console
         * @description With scope `reader`, `approver` or `admin`. The code opens one session, once, within a short time; `waystation open` creates one and opens the browser with it. The session ends with the token that created the code. A session cannot create codes.
         */
        post: operations["Sessions_createCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List sessions of the console
         * @description Only with scope `admin`. Sessions that have not ended, newest first.
         */
        get: operations["Sessions_list"];
        put?: never;
        /**
         * Sign in to the console
         * @description Public, for the page of the console: `Origin` must be the origin of this server. Sets a cookie and returns a key; requests need both. For a minute, the same code and `proof` get the same response, unless the session has ended. A session ends 12 hours after its last use, 7 days after it began, or with its token.
         */
        post: operations["Sessions_signIn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who am I in the console?
         * @description With scope `reader`, `approver` or `admin`. Not found with a bearer token.
         */
        get: operations["Sessions_getOwn"];
        put?: never;
        post?: never;
        /**
         * Sign out of the console
         * @description With scope `reader`, `approver` or `admin`. Ends the session in all tabs. Not found with a bearer token.
         */
        delete: operations["Sessions_signOut"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/console/sessions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End a session of the console
         * @description Only with scope `admin`. Takes effect at once, on every instance. Open streams end like those of a revoked token.
         */
        delete: operations["Sessions_end"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Where to begin
         * @description Public. Redirects browsers to the console. Programs get a problem that names the reference.
         */
        get: operations["Root_open"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Is the server up?
         * @description Public. Does not check the database.
         */
        get: operations["Health_live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Can the server serve?
         * @description With scope `runner`, `approver`, `reader`, `metrics` or `admin`. 503 while the database does not answer.
         */
        get: operations["Health_ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics for a monitoring system
         * @description With scope `metrics`, `reader` or `admin`. Metrics of this instance, in the Prometheus text format 0.0.4; metrics of the whole storage say so. No ids or names.
         */
        get: operations["Metrics_read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/system": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The state of the server
         * @description With scope `reader` or `admin`. Version, database, disk, queue, the servers on the database, and the findings of the doctor.
         */
        get: operations["System_read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/threads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List threads
         * @description With scope `reader` or `admin`. The latest checkpoint of each thread, most recently changed first. A thread must match all filters.
         */
        get: operations["Threads_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/threads/{thread_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a thread
         * @description With scope `reader` or `admin`. The latest checkpoint, the runs, and logs extracted from their messages. The response is streamed; `logs_limit` pages the logs. `include=effects` adds each run's `effects`.
         */
        get: operations["Threads_detail"];
        put?: never;
        post?: never;
        /**
         * Delete a thread
         * @description Only with scope `admin`. Deletes everything in it: runs, checkpoints, messages, approvals, effects.
         */
        delete: operations["Threads_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/threads/{thread_id}/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a thread's checkpoints
         * @description With scope `reader` or `admin`. Ordered by the run's first report, then by attempt and step. Without `limit` the server streams all of them; read them as they arrive.
         */
        get: operations["Threads_checkpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/threads/{thread_id}/steps": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a thread's steps
         * @description With scope `reader` or `admin`. The checkpoints in the same order, without their messages: figures, and the places of the messages. Steps with the same place share the message. Without `limit` the server streams all of them.
         */
        get: operations["Threads_stepList"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/threads/{thread_id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a thread's messages by their places
         * @description With scope `reader` or `admin`. The steps of the thread name the places. The message at a place never changes.
         */
        get: operations["Threads_messages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/threads/{thread_id}/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow a thread
         * @description With scope `reader` or `admin`. Server-sent events `checkpoint` (with `history=new`), `status`, `approval`, `effect` (an effect was claimed or settled; without `args`, `result` and `error`), `retry` (somebody retried a run) and `log`. The latest checkpoint comes first, then every change; a change without an event sends only an `id`. `Last-Event-ID` resumes without loss; an unknown id starts the stream again.
         */
        get: operations["Threads_stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/threads/{thread_id}/runs/{trace_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a run
         * @description Only with scope `admin`. Ends the run, and open runs below it, with the status `cancelled`. Its tool calls can no longer be decided. Later reports are stored but do not change the status until the run is started again. `waystation agent` stops the run's program; other programs see it in `latest` and in `control` of the response to their next report. Repeating the request returns the same response and keeps the first reason.
         */
        post: operations["Threads_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count runs, tokens and cost
         * @description With scope `reader` or `admin`. Sums over runs by hour, day, agent or model. Each attempt of a run counts at its start, with everything it has reported so far. The sums are kept: the number of threads does not slow them down, and deleted threads stay counted. Imported threads count like any other.
         */
        get: operations["ThreadsStats_read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow all threads
         * @description With scope `reader` or `admin`. Server-sent events, with the filters of the list. `thread`: a thread changed; its list item, with the `last_seq` of its last change. States in between may be skipped, the last one never is. `approval`: a record of `/approvals` opened or closed. `effect`: an effect was claimed, settled or found in doubt; without `args`, `result` and `error`. `left` (`thread_id`, `last_seq`): a changed thread does not match the filters; sent once until it matches again, even if it never matched. `deleted` (`thread_id`): sent regardless of filters, and for a day to readers who come back. The stream starts with changes from now on. `Last-Event-ID` resumes it without loss, on any server; `0`, or any unknown id, starts with all threads. An event may come twice.
         */
        get: operations["ThreadsWatch_stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List approvals
         * @description With scope `approver`, `reader` or `admin`. Pending ones by default, oldest first.
         */
        get: operations["Approvals_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow approvals
         * @description With scope `approver`, `reader` or `admin`. Server-sent events `opened`, `reminder` (it still waits, and people are reminded) and `closed`, each with the record. Begins with the pending approvals. `doubt_opened` and `doubt_closed` report effects in doubt in the same way.
         */
        get: operations["Approvals_stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals/{trace_id}/{step}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an approval
         * @description With scope `approver`, `reader` or `admin`. If several approvals have this address, returns the pending one, otherwise the newest.
         */
        get: operations["Approvals_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals/{trace_id}/{step}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve tool calls
         * @description With scope `approver` or `admin`. Of several racing decisions, exactly one wins. Repeating a decision returns the same record; a different decision gets 409. Calls that ask questions are never approved, only answered (409 `answer_required`).
         */
        post: operations["Approvals_approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals/{trace_id}/{step}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reject tool calls
         * @description With scope `approver` or `admin`. Of several racing decisions, exactly one wins. Repeating a decision returns the same record; a different decision gets 409. Calls that ask questions are never approved, only answered (409 `answer_required`).
         */
        post: operations["Approvals_reject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/approvals/{trace_id}/{step}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer questions
         * @description With scope `approver` or `admin`. Answers the questions that calls ask. Of several racing decisions, exactly one wins. Repeating a decision returns the same record; a different decision gets 409. Calls that ask questions are never approved, only answered (409 `answer_required`). 409 `no_question` where no call asks any.
         */
        post: operations["Approvals_answer"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List rules
         * @description With scope `approver`, `reader` or `admin`. The newest first; active ones by default.
         */
        get: operations["Rules_list"];
        put?: never;
        /**
         * Make a standing rule
         * @description Only with scope `admin`. Decides tool calls without a person, from the response on and on every server; what waits already, waits. A rule never changes. 400 `unsafe_rule` if it could allow more than it says; 409 `rule_disagrees` if it would allow what people rejected or edited; 409 `too_many_rules` beyond 200 active ones; 503 `history_unfinished` if 5 seconds are too few to rehearse an `allow`.
         */
        post: operations["Rules_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rules/rehearse": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Rehearse a rule
         * @description With scope `approver` or `admin`. What it would have said to the newest 10,000 calls that people decided or let expire. Makes no rule.
         */
        post: operations["Rules_rehearse"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rules/suggestions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Suggest rules
         * @description With scope `approver` or `admin`. Drafts for the tools of an agent of which people approved five calls in 30 days and rejected or edited none. For the tools of one approval also from fewer calls; where people rejected or edited some, from its own approved calls alone. 503 `history_unfinished` if 5 seconds are too few to read what they decided.
         */
        get: operations["Rules_suggest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rules/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a rule
         * @description With scope `approver`, `reader` or `admin`. Also one that has ended.
         */
        get: operations["Rules_get"];
        put?: never;
        post?: never;
        /**
         * Revoke a rule
         * @description With scope `approver` or `admin`. After the response, no server decides by it. What it decided stays, and it stays readable. An approver may revoke only an `allow`.
         */
        delete: operations["Rules_revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runners/threads/{thread_id}/effects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a thread's effects
         * @description With scope `runner`, `approver`, `reader` or `admin`. Oldest claim first. A token bound to agents sees only their effects.
         */
        get: operations["Effects_list"];
        put?: never;
        /**
         * Claim an effect
         * @description With scope `runner` or `admin`. An agent claims a tool call that changes the world before it makes the call, and settles it afterwards, so that no settled call runs twice, whichever process dies. The server responds once the claim is durable. Error codes: `effect_in_flight`, `effect_in_doubt`, `approval_pending`, `effect_rejected`, `approval_superseded`, `stale_fence`, `effect_settled` (409), `effect_mismatch`, `effect_not_approved` (422).
         */
        post: operations["Effects_claim"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runners/threads/{thread_id}/effects/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an effect
         * @description With scope `runner`, `approver`, `reader` or `admin`.
         */
        get: operations["Effects_one"];
        /**
         * Settle an effect
         * @description With scope `runner`, `approver` or `admin`. The holder, or anyone who found out, reports the outcome of the tool call. Repeating it changes nothing. The holder's `completed` replaces another caller's `not_done` or `failed`. Error codes: `stale_attempt`, `effect_settled`, `ambiguous_effect`.
         */
        put: operations["Effects_settle"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/effects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List effects of all threads
         * @description With scope `approver`, `reader` or `admin`. By default effects in doubt, oldest claim first: somebody has to find out whether they happened.
         */
        get: operations["Effects_all"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/internal/v1/runners/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report runner events
         * @description With scope `runner` or `admin`. The server checks each event on its own, stores the valid ones and lists the others. Resending a batch changes nothing. Bodies may be compressed with gzip, deflate or br.
         */
        post: operations["Runners_reportInternal"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runners/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report runner events
         * @description With scope `runner` or `admin`. The server checks each event on its own, stores the valid ones and lists the others. Resending a batch changes nothing. Bodies may be compressed with gzip, deflate or br.
         */
        post: operations["Runners_report"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runners/threads/{thread_id}/latest": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the latest checkpoint of a thread
         * @description With scope `runner`, `reader` or `admin`. An agent resumes from it after a restart, and watches it while a person decides. Without a filter, the server starts at the run that last made progress and follows `parent_trace_id` to the topmost run. It stops at a sub-run that waits for a decision, or has not reported since the decision. A token bound to agents sees only their runs and the sub-runs below them.
         */
        get: operations["Runners_latest"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List agents
         * @description With scope `reader` or `admin`. Every agent that has ever sent a heartbeat, by id.
         */
        get: operations["Agents_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/agents/{agent_id}/invoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start a run of an agent
         * @description Only with scope `admin`. The server calls the agent at the endpoint of its heartbeats, and responds once the agent has accepted the run. After a 502 or 503 the run may have started: repeat the request with the same `Idempotency-Key` to get it.
         */
        post: operations["Agents_invoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/threads/{thread_id}/runs/{trace_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a run
         * @description Only with scope `admin`. For ended or idle runs of an agent that is online. The server calls the agent with the run's last message and `retry_of`; the agent continues the same run from its latest checkpoint. From then on the run is in progress, and the thread keeps who retried it, when and why. The agent accepts one of several simultaneous requests. 409 `several_runs` if several agents have a run with this trace; it names them. If the run began with a chat message, its reply and questions go to that chat, and the chat's next message waits for it; 409 `chat_busy` while the agent works on another message of the chat. If the agent's response is lost (503), the server asks again for the chat, under the same key, for up to 15 minutes.
         */
        post: operations["Runs_retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runners/threads/{thread_id}/runs/{trace_id}/lease": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the lease of a run
         * @description With scope `runner` or `admin`. Without the fence.
         */
        get: operations["Leases_get"];
        put?: never;
        /**
         * Claim the lease of a run
         * @description With scope `runner` or `admin`. Exactly one of several processes gets the lease; it puts the `fence` into its events. While the lease is held, and after it expires, the server rejects events of everybody else with `stale_fence`. The thread and the run need not exist. The same `holder` renews its lease by claiming it again. A sub-run is covered by the lease of its nearest leased run at or above it.
         */
        post: operations["Leases_claim"];
        /**
         * Release the lease of a run
         * @description With scope `runner` or `admin`. Events without a fence are accepted again. Repeating the request gets the same response.
         */
        delete: operations["Leases_release"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runners/threads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List an agent's threads
         * @description With scope `runner` or `admin`. In the order of their ids. A token bound to agents gets only threads in which no other agent took part.
         */
        get: operations["RunnerThreads_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runners/threads/{thread_id}/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a thread's runs
         * @description With scope `runner` or `admin`. A token bound to agents sees only their runs and the sub-runs below them.
         */
        get: operations["RunnerThreads_runs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runners/threads/{thread_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete an agent's thread
         * @description With scope `runner` or `admin`. Deletes everything in it: runs, checkpoints, messages, approvals, effects. For a token bound to agents, a thread in which others took part does not exist. A token bound to a run cannot delete threads. 409 `lease_held` while a process holds the lease of a run in it.
         */
        delete: operations["RunnerThreads_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runners/threads/{thread_id}/state/{checkpoint_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a checkpoint of a graph
         * @description With scope `runner` or `admin`.
         */
        get: operations["State_one"];
        /**
         * Store a checkpoint of a graph
         * @description With scope `runner` or `admin`. The server returns everything exactly as sent and never looks into serialised data. It stores a value once, however many checkpoints share it. The thread need not exist; deleting it deletes its states.
         */
        put: operations["State_put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runners/threads/{thread_id}/state/{checkpoint_id}/writes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store the writes of a task
         * @description With scope `runner` or `admin`. The checkpoint may follow later. Repeating the request changes nothing.
         */
        post: operations["State_addWrites"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runners/threads/{thread_id}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the newest checkpoint of a graph
         * @description With scope `runner` or `admin`. The checkpoint with the highest id. A token bound to agents sees only their states.
         */
        get: operations["State_newest"];
        put?: never;
        /**
         * Store a step of a graph
         * @description With scope `runner` or `admin`. A checkpoint, the writes of tasks, and the events that show the step, in one request. Checkpoint, writes and events are stored together or not at all; only single events may be refused. Sending it again changes nothing.
         */
        post: operations["State_putStep"];
        /**
         * Delete the states of a thread
         * @description With scope `runner` or `admin`. Deletes the states of one agent, or of all agents of the token. Reported runs stay.
         */
        delete: operations["State_clear"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runners/threads/{thread_id}/state/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Delete checkpoints of a thread
         * @description With scope `runner` or `admin`. Deletes the named checkpoints with their writes, then values that no checkpoint uses any more. All other checkpoints stay. Naming an unknown checkpoint is no error.
         */
        post: operations["State_delete"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runners/state/index": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List checkpoints of graphs without their data
         * @description With scope `runner` or `admin`. The list's checkpoints in the same order, without values, writes and other serialised data.
         */
        get: operations["State_index"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runners/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List checkpoints of graphs
         * @description With scope `runner` or `admin`. Highest ids first, each with its values and writes. A token bound to agents sees only their states.
         */
        get: operations["State_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runners/hooks/claude": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a hook of Claude Code
         * @description With scope `runner` or `admin`. Records the input of a hook: the session becomes a thread, each turn a run, each tool use a step. A permission request becomes an approval, which people decide like any other. Questions of Claude Code (`PreToolUse` of `AskUserQuestion`) become a question, which people answer. An event that shows that the terminal has decided (the tool ran, the turn ended) supersedes the approval. Requests with the same `Idempotency-Key` get the same decision; without the header, each request is new. Error codes: `chat_not_allowed` (403), `idempotency_key_reused` (422).
         */
        post: operations["Hooks_claude"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runners/hooks/codex": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a hook of Codex
         * @description With scope `runner` or `admin`. Records the input of a hook: the session becomes a thread, each turn a run, each tool use a step. A permission request becomes an approval, which people decide like any other. Questions of Claude Code (`PreToolUse` of `AskUserQuestion`) become a question, which people answer. An event that shows that the terminal has decided (the tool ran, the turn ended) supersedes the approval. Requests with the same `Idempotency-Key` get the same decision; without the header, each request is new. Error codes: `chat_not_allowed` (403), `idempotency_key_reused` (422).
         */
        post: operations["Hooks_codex"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List notices
         * @description With scope `reader` or `admin`. All of them, oldest first, without secrets.
         */
        get: operations["Notices_list"];
        put?: never;
        /**
         * Create a notice
         * @description Only with scope `admin`. When one of the events happens, the server calls the URL, signed as Standard Webhooks says, at least once and in any order, or posts to the chat. There may be 50 notices.
         */
        post: operations["Notices_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notices/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a notice
         * @description With scope `reader` or `admin`. Without its secret.
         */
        get: operations["Notices_get"];
        put?: never;
        post?: never;
        /**
         * Remove a notice
         * @description Only with scope `admin`. Deletes its deliveries; those that wait are not sent.
         */
        delete: operations["Notices_delete"];
        options?: never;
        head?: never;
        /**
         * Change a notice
         * @description Only with scope `admin`. Changes only the members that you send. What waits goes to the new URL.
         */
        patch: operations["Notices_update"];
        trace?: never;
    };
    "/v1/notices/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Test a notice
         * @description Only with scope `admin`. Sends an event of the type `test` at once, also for a disabled notice, and does not repeat it.
         */
        post: operations["Notices_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notices/{id}/secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Renew the secret of a notice
         * @description Only with scope `admin`. For 24 hours, both the new secret and the one before sign each call.
         */
        post: operations["Notices_renewSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notices/{id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the deliveries of a notice
         * @description With scope `reader` or `admin`. Newest first; kept for 30 days.
         */
        get: operations["Notices_listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/notices/{id}/deliveries/{deliveryId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a delivery
         * @description Only with scope `admin`. For failed and dropped ones: sent again at once, or once the notice is enabled, with the same id and bytes.
         */
        post: operations["Notices_retryDelivery"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/example-data": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Is the example data loaded?
         * @description Only with scope `admin`.
         */
        get: operations["Examples_count"];
        put?: never;
        /**
         * Load example data
         * @description Only with scope `admin`. Runs of the last day in every state, five agents that cannot be started, and two channels that are switched off. Existing items of the same name stay unchanged. Responds when everything is stored.
         */
        post: operations["Examples_load"];
        /**
         * Remove the example data
         * @description Only with scope `admin`. Removes only the loaded data, also from the statistics. Threads, agents and channels of users stay.
         */
        delete: operations["Examples_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/{thread_id}/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export a thread
         * @description With scope `reader` or `admin`. Everything stored of the thread, as JSON lines: runs, checkpoints (including replaced ones), messages byte for byte, events, approvals with their decisions. The last line is `end`; without it the export is incomplete. A server runs two exports at a time, and ends one that is not read for 45 s.
         */
        get: operations["ThreadTransfer_export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/threads/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import a thread
         * @description Only with scope `admin`. Reads an export, from any database. The thread reads the same as on the exporting server and continues like any other: reports, decisions, streams, retention. It becomes visible only when complete; a failed import leaves nothing. A changed or missing line, or one of a later format, is a 400 that names the line. Lines are limited, the body is not; it may be compressed. A server runs two imports at a time.
         */
        post: operations["ThreadTransfer_import"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/webhook/{platform}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Answer a platform's handshake
         * @description Public. Some platforms check once that this is the configured receiver, as WhatsApp does with `hub.mode`, `hub.verify_token` and `hub.challenge`.
         */
        get: operations["Receiver_handshake"];
        put?: never;
        /**
         * Receive a platform's messages
         * @description Public. The request's signature or secret proves that the platform sent it; on a channel without one, requests of web pages are refused. The server responds as soon as the request is stored, and stores a repeated delivery once.
         */
        post: operations["Receiver_receive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/platforms": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List messaging platforms
         * @description With scope `reader` or `admin`. What to prepare on each platform, and the fields of its channels' `config`: enough to draw a form.
         */
        get: operations["Platforms_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List channels
         * @description With scope `reader` or `admin`. Newest first, without secrets.
         */
        get: operations["Channels_list"];
        put?: never;
        /**
         * Create a channel
         * @description Only with scope `admin`. A bot or number belongs to one channel. The server does not call the platform. The channel ignores everybody until you verify it: send `verification_code` to `verify`, or to the bot in a chat.
         */
        post: operations["Channels_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a channel
         * @description With scope `reader` or `admin`. With its agents, without secrets.
         */
        get: operations["Channels_get"];
        put?: never;
        post?: never;
        /**
         * Remove a channel
         * @description Only with scope `admin`. Deletes its agents, sessions and messages. The threads of its sessions stay.
         */
        delete: operations["Channels_delete"];
        options?: never;
        head?: never;
        /**
         * Change a channel
         * @description Only with scope `admin`. Changes only the members that you send.
         */
        patch: operations["Channels_update"];
        trace?: never;
    };
    "/v1/channels/{id}/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Replace the config of a channel
         * @description Only with scope `admin`. For new secrets of the same account: agents, sessions and the webhook stay. A different account must be verified and set up again.
         */
        put: operations["Channels_replaceConfig"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}/agents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bind an agent
         * @description Only with scope `admin`. The agent may still be unknown: messages wait for its heartbeat.
         */
        post: operations["ChannelSetup_bind"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}/agents/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Unbind an agent
         * @description Only with scope `admin`. If it was the default, the oldest remaining binding becomes the default.
         */
        delete: operations["ChannelSetup_unbind"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}/verification-code": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a new verification code
         * @description Only with scope `admin`. The previous code becomes invalid.
         */
        post: operations["ChannelSetup_renewCode"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verify a channel
         * @description Only with scope `admin`. You can send the code to the bot in a chat instead. It is valid for 15 minutes. Five wrong attempts here lock it here; five by one person in a chat lock it for that person in chats. After a hundred wrong attempts in chats it is locked there for everyone who guessed wrong, after five hundred for everyone. Attempts in chats never lock it here.
         */
        post: operations["ChannelSetup_verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check the account
         * @description Only with scope `admin`. Asks the platform who the account is, which tests its token or number. A refusal is a 502 with the platform's words; the platform's `faults` say what to do.
         */
        post: operations["ChannelSetup_check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}/setup-webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register the receiver with the platform
         * @description Only with scope `admin`. Registers the webhook with a new secret if the platform has an API for it, as Telegram does. For other platforms, such as WhatsApp and Slack, the response says what to paste into their consoles.
         */
        post: operations["ChannelSetup_setUpWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/channels/{id}/messages": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List a channel's messages
         * @description With scope `reader` or `admin`. Messages in both directions, with their outcome. Newest first.
         */
        get: operations["Channels_listMessages"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runners/threads/{thread_id}/attachments/{attachment_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the bytes of an attachment
         * @description With scope `runner` or `admin`. The address is the `href` of an attachment in the `context` of a message. The server fetches the file from the platform and stores nothing. `Range` is ignored. 404 `attachment_not_found`, also where the token may not speak for the agent of the thread; 410 `attachment_gone`; 413 `attachment_too_large`; 502 `platform_refused`; 503 with `Retry-After`. A connection that breaks before `Content-Length` bytes means that the file is not whole.
         */
        get: operations["Attachments_get"];
        /**
         * Send a file up for the chat of a thread
         * @description With scope `runner` or `admin`. The body is the file, at most 50 MiB. It goes out when the turn ends well whose run has reported an event `attachment` with this digest. It is kept for 24 h; all files that wait have 512 MiB. Sent again, it is compared with the one that is there, and answered with 200. 409 `thread_has_no_chat`, also where the token may not speak for the agent of the chat; 413 `file_too_large`; 422 `digest_mismatch`; 503 with `Retry-After`; 507 `attachments_full`.
         */
        put: operations["Attachments_put"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        FieldFaultDto: {
            /** @description The field, named as in the request. */
            path: string;
            /** @description What was expected. */
            detail: string;
        };
        ProblemDto: {
            /** @description URI of the kind of error. */
            type: string;
            /** @description The status in words. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What went wrong, for people. */
            detail: string;
            /** @description Path of the request; absent if the server could not read it. */
            instance?: string;
            /** @description What went wrong, for programs. Stable. */
            code: string;
            /** @description The invalid fields, if any. */
            errors?: components["schemas"]["FieldFaultDto"][];
        };
        RunOfTokenDto: {
            thread_id: string;
            trace_id: string;
            /** @description The fence of the run's lease. It applies to events that the holder sends without a fence. */
            fence: number;
        };
        CreateTokenDto: {
            /**
             * @description `admin` may do everything, `runner` reports and resumes runs, `approver` decides on tool calls, `reader` reads everything but tokens and changes nothing, `metrics` reads `GET /metrics`.
             * @enum {string}
             */
            scope: "runner" | "approver" | "reader" | "metrics" | "admin";
            /** @description A name that helps people distinguish tokens; not `channel`, `console`, `default`, `expiry` or `rule`, which `decided_through` says of decisions without a token. */
            name?: string | null;
            /** @description With scope `runner`: the only agents for which the holder may report and read, each with its sub-agents `NAME:*`. With scope `reader`: the holder sees only threads in which no other agent took part, and nothing that belongs to no agent. Absent means any. */
            agent_ids?: string[] | null;
            /** @description Absent means valid until revoked. */
            expires_in_seconds?: number | null;
            /** @description With scope `runner`: the only run, with the runs below it, for which the holder may report; absent means any. Reading is not restricted further. */
            run?: components["schemas"]["RunOfTokenDto"] | null;
        };
        TokensRunDto: {
            thread_id: string;
            trace_id: string;
        };
        CreatedTokenResponseDto: {
            id: string;
            /** @enum {string} */
            scope: "runner" | "approver" | "reader" | "metrics" | "admin";
            name: string | null;
            /** @description The only agents for which the holder may report and read; null means any. */
            agent_ids: string[] | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description null means never.
             */
            expires_at: string | null;
            /** @description The runner token that created this one, and with which it ends; null if an admin created it. */
            parent_id: string | null;
            /** @description The token, of any scope, that created this one; if it was revoked alone, the token that had created it. null for the machine secret. */
            created_by: string | null;
            /** @description The only run for which the holder may report; null means any. */
            run: components["schemas"]["TokensRunDto"] | null;
            /**
             * Format: date-time
             * @description Stored at most once an hour: a token in use shows a time of the last hour. null means never.
             */
            last_used_at: string | null;
            /** @description The token itself. Only this response shows it. */
            token: string;
        };
        TokenResponseDto: {
            id: string;
            /** @enum {string} */
            scope: "runner" | "approver" | "reader" | "metrics" | "admin";
            name: string | null;
            /** @description The only agents for which the holder may report and read; null means any. */
            agent_ids: string[] | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description null means never.
             */
            expires_at: string | null;
            /** @description The runner token that created this one, and with which it ends; null if an admin created it. */
            parent_id: string | null;
            /** @description The token, of any scope, that created this one; if it was revoked alone, the token that had created it. null for the machine secret. */
            created_by: string | null;
            /** @description The only run for which the holder may report; null means any. */
            run: components["schemas"]["TokensRunDto"] | null;
            /**
             * Format: date-time
             * @description Stored at most once an hour: a token in use shows a time of the last hour. null means never.
             */
            last_used_at: string | null;
        };
        TokenListResponseDto: {
            /** @description Send it as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
            /** @description The number of all items, with `count=true` only. */
            total?: number;
            items: components["schemas"]["TokenResponseDto"][];
        };
        OwnTokenResponseDto: {
            /** @description null for the machine secret. */
            id: string | null;
            /** @enum {string} */
            scope: "runner" | "approver" | "reader" | "metrics" | "admin";
            /** @description The only agents for which the holder may report and read, each with its sub-agents; null means any. */
            agent_ids: string[] | null;
        };
        CreateCodeDto: {
            /**
             * @description What the session may do: at most what the token may, which is the default. In the console, `approver` also reads what `reader` reads.
             * @enum {string|null}
             */
            scope?: "reader" | "approver" | "admin" | null;
            /** @description Who signs in; decisions carry it as `decided_by`. Absent means the name of the token. */
            name?: string | null;
            /**
             * @description How long the code is valid. Allow more time for a code that is carried to another machine.
             * @default 60
             */
            expires_in_seconds?: number | null;
        };
        CreatedCodeDto: {
            /** @description Opens one session, once. Only this response shows it. The address of the console takes it as `/console/#code=…`. */
            code: string;
            /** Format: date-time */
            expires_at: string;
        };
        SignInDto: {
            /** @description From `POST /v1/console/codes`. */
            code: string;
            /** @description A random text known only to this page. It lets the page ask again if it lost the response. */
            proof?: string | null;
        };
        ConsoleSessionDto: {
            id: string;
            /** @enum {string} */
            scope: "reader" | "approver" | "admin";
            /** @description Who signed in; decisions carry it as `decided_by`. */
            name: string;
            /** @description The token that created the code, and with which the session ends; null for the machine secret. */
            token_id: string | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description Up to five minutes late.
             */
            last_used_at: string;
            /**
             * Format: date-time
             * @description When it ends if it is not used; up to five minutes early.
             */
            idle_at: string;
            /**
             * Format: date-time
             * @description When it ends at the latest; earlier if its token ends.
             */
            expires_at: string;
        };
        BegunSessionDto: {
            /** @description The page sends it with every request as the header `X-Waystation-Console`, together with the cookie that this response sets. Only this response shows it. */
            key: string;
            session: components["schemas"]["ConsoleSessionDto"];
        };
        ConsoleSessionListDto: {
            /** @description Send it as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
            /** @description The number of all items, with `count=true` only. */
            total?: number;
            items: components["schemas"]["ConsoleSessionDto"][];
        };
        HealthResponseDto: {
            /** @enum {string} */
            status: "ok";
            version: string;
        };
        DatabaseHealthDto: {
            /** @enum {string} */
            kind: "sqlite" | "postgres";
            /** @enum {string} */
            status: "ok";
            /** @description How long it took to answer, in milliseconds. */
            latency_ms: number;
        };
        InstanceDto: {
            id: string;
            host: string;
            pid: number;
            version: string;
            /** Format: date-time */
            started_at: string;
            /** Format: date-time */
            last_seen: string;
        };
        ReadinessResponseDto: {
            /** @enum {string} */
            status: "ok";
            version: string;
            uptime_seconds: number;
            database: components["schemas"]["DatabaseHealthDto"];
            /** @description The API servers that run on this database. */
            instances: components["schemas"]["InstanceDto"][];
        };
        SystemDatabaseDto: {
            /** @enum {string} */
            kind: "sqlite" | "postgres";
            /** @description How long it took to answer, in milliseconds. */
            latency_ms: number;
            /** @description Size on disk, in bytes. */
            size_bytes: number;
        };
        SystemDiskDto: {
            free_bytes: number;
            total_bytes: number;
        };
        SystemQueueDto: {
            /** @description Reports waiting to be written by this server. */
            jobs: number;
            /** @description Memory that they use, in bytes. */
            bytes: number;
            /** @description Beyond this many, reports are refused with 503. */
            max_jobs: number;
            max_bytes: number;
        };
        SystemFindingDto: {
            /** @description The check, a stable name for programs. */
            check: string;
            /**
             * @description `fault`: something does not work, or soon will not. `warning`: somebody should look.
             * @enum {string}
             */
            level: "ok" | "warning" | "fault";
            message: string;
            /** @description What to do; null for nothing. */
            remedy: string | null;
        };
        SystemDto: {
            version: string;
            /** @description The version of Node.js. */
            node: string;
            /** Format: date-time */
            started_at: string;
            uptime_seconds: number;
            database: components["schemas"]["SystemDatabaseDto"];
            /** @description The disk of SQLite's file; null with PostgreSQL. */
            disk: components["schemas"]["SystemDiskDto"] | null;
            queue: components["schemas"]["SystemQueueDto"];
            /** @description A thread is deleted after this many days without a change, unless it waits for a person, has a `write` effect that never ended, or its lease was granted in these days; null for never. */
            retention_days: number | null;
            /** @description The API servers that run on this database. */
            instances: components["schemas"]["InstanceDto"][];
            /** @description Findings of `waystation doctor --quick`, at most 5 seconds old. */
            findings: components["schemas"]["SystemFindingDto"][];
        };
        /**
         * @description Who said it: `tool` for the result of a call, `other` for a message of an unknown shape.
         * @enum {string}
         */
        Speaker: "user" | "assistant" | "system" | "tool" | "other";
        LastMessageDto: {
            /** @description Who said it: `tool` for the result of a call, `other` for a message of an unknown shape. */
            role: components["schemas"]["Speaker"];
            /** @description The text on one line, cut with an ellipsis; the tool call if there is no text. Empty for a message without either. */
            text: string;
        };
        ListedThreadDto: {
            /** @description Identifies the run. */
            trace_id: string;
            agent_id: string;
            step_index: number;
            status: string;
            tokens_used: number;
            input_tokens: number;
            output_tokens: number;
            model: string;
            /** @description US dollars. */
            run_cost_usd: number;
            /** @description US dollars; 0 if none was reported. */
            budget_usd: number;
            budget_warning: boolean;
            /** Format: date-time */
            updated_at: string;
            /** @description The error of `thread_error`, as reported; otherwise null. */
            error: (string | null) | {
                [key: string]: unknown;
            } | unknown[] | number | boolean;
            thread_id: string;
            parent_trace_id: string | null;
            turn_start_history_len: number;
            /** @description Tool calls that wait for a person, exactly as reported. */
            pending_tool_calls: unknown[];
            /** @description The decision on its tool calls. */
            approval: {
                [key: string]: unknown;
            } | null;
            /** @description Number of messages in the latest checkpoint. */
            history_length: number;
            /** @description All agents that took part. */
            agents: string[];
            /** @description Number of runs. */
            runs: number;
            /** @description The last message of the latest checkpoint. Null if there is none, or if an older version stored the thread's last report. */
            last_message: components["schemas"]["LastMessageDto"] | null;
            /** @description Checkpoints whose tool calls wait for a person. */
            pending_approvals: number;
            /** Format: date-time */
            started_at: string;
            /** @description From `started_at` to `updated_at`, without the pauses before retries. */
            duration_ms: number;
            /** @description Sum over all runs and attempts. */
            total_tokens: number;
            /** @description Sum over all runs and attempts, US dollars. */
            total_cost_usd: number;
            /** @description Whether it is in progress without an event, heartbeat or lease for `WAYSTATION_SILENT_AFTER_SECONDS`. Computed when read: streams send nothing when the silence begins. */
            silent: boolean;
            /** @description Whether it has an effect in doubt, which a person has to settle. */
            in_doubt: boolean;
            /** @description With `include=history` only. */
            history?: unknown[];
            /** @description With `include=history` only. */
            history_meta?: unknown[];
        } & {
            [key: string]: unknown;
        };
        ThreadListDto: {
            /** @description Send it as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
            /** @description The number of all items, with `count=true` only. */
            total?: number;
            items: components["schemas"]["ListedThreadDto"][];
            /** @description Names each status of the filter that no thread has. Absent if there is none. */
            warnings?: string[];
        };
        RunEventDto: {
            /** @enum {string} */
            type: "retried" | "cancelled";
            /** Format: date-time */
            at: string;
            /** @description Who did it; null if nobody said. */
            by: string | null;
            /** @description The name of the token, or `console`; null if the server did it by itself. */
            through: string | null;
            /** @description Why; null if nobody said. */
            reason: string | null;
            /** @description The attempt that was cancelled, or that the retry began; null for what an older version kept. */
            attempt: number | null;
        };
        ThreadRunDto: {
            trace_id: string;
            parent_trace_id: string | null;
            agent_id: string;
            status: string;
            /** @description How many times its steps started at 0, or somebody retried it: a retry counts from its moment. */
            attempts: number;
            /** @description Checkpoints of all attempts. */
            steps: number;
            /** @description Sum of the last values of all attempts. */
            tokens_used: number;
            /** @description Sum of the last values of all attempts. */
            run_cost_usd: number;
            /** Format: date-time */
            started_at: string;
            /**
             * Format: date-time
             * @description When its last attempt began, or was asked for.
             */
            attempt_started_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description From `started_at` to `updated_at`, without the pauses before retries. */
            duration_ms: number;
            /** @description Whether it is in progress without an event, heartbeat or lease for `WAYSTATION_SILENT_AFTER_SECONDS`. Computed when read: streams send nothing when the silence begins. */
            silent: boolean;
            /** @description Whether it has an effect in doubt, which a person has to settle. */
            in_doubt: boolean;
            /** @description The error of `thread_error`, as reported; otherwise null. */
            error: (string | null) | {
                [key: string]: unknown;
            } | unknown[] | number | boolean;
            /** @description Why the run was cancelled. Absent if it is not cancelled, or no reason was given. */
            cancel_reason?: string;
            /** @description Who cancelled the run. Absent if it is not cancelled, or nobody said. */
            cancelled_by?: string;
            /** @description The trace of the run above it whose cancellation also cancelled this run. Absent if the run itself was cancelled. */
            cancelled_with?: string;
            /** @description Only with `include=effects`: the effects last claimed by this run, without `args`, `result` and `error`. */
            effects?: {
                [key: string]: unknown;
            }[];
            /** @description Its retries and cancellations in their order; only in the detail of a thread. */
            events?: components["schemas"]["RunEventDto"][];
        };
        LogEntryDto: {
            /**
             * Format: date-time
             * @description The time of the message, as the agent reported it.
             */
            ts: string;
            /**
             * @description `tool` for tool calls and results, `error` for failed results and runs, `warn` for budget warnings and refusals.
             * @enum {string}
             */
            level: "info" | "tool" | "warn" | "error";
            /**
             * @description `event` for events of the run and for messages of an unknown shape.
             * @enum {string}
             */
            kind: "user" | "assistant" | "thinking" | "tool_call" | "tool_result" | "system" | "event";
            /** @description The text. A tool call reads `name(arguments)`; images, audio and files are named in brackets; a message of an unknown shape is its JSON, cut at 4,000 characters. */
            message: string;
            /** @description The agent that reported it. */
            agent_id: string;
            /** @description Its run. */
            trace_id: string;
            /** @description The first step that contains it. */
            step_index: number;
            /** @description The tool of a call, or of a result whose call is known. */
            tool_name?: string;
            /**
             * @description On entries that tell that somebody cancelled or retried the run.
             * @enum {string}
             */
            event?: "run_cancelled" | "run_retried";
            /** @description Who did it, if somebody said. */
            by?: string;
            /** @description Why, if somebody said. */
            reason?: string;
            /** @description Input tokens of the message. Only one entry per message has them, so that you can sum them. */
            tokens_in?: number;
            /** @description Output tokens of the message, likewise. */
            tokens_out?: number;
            /** @description Milliseconds from a tool call to its result, if both times were reported. */
            duration_ms?: number;
        };
        ThreadDetailDto: {
            /** @description Identifies the run. */
            trace_id: string;
            agent_id: string;
            step_index: number;
            status: string;
            tokens_used: number;
            input_tokens: number;
            output_tokens: number;
            model: string;
            /** @description US dollars. */
            run_cost_usd: number;
            /** @description US dollars; 0 if none was reported. */
            budget_usd: number;
            budget_warning: boolean;
            /** Format: date-time */
            updated_at: string;
            /** @description The error of `thread_error`, as reported; otherwise null. */
            error: (string | null) | {
                [key: string]: unknown;
            } | unknown[] | number | boolean;
            thread_id: string;
            parent_trace_id: string | null;
            turn_start_history_len: number;
            /** @description Tool calls that wait for a person, exactly as reported. */
            pending_tool_calls: unknown[];
            /** @description The decision on its tool calls. */
            approval: {
                [key: string]: unknown;
            } | null;
            /** @description Number of messages in the latest checkpoint. */
            history_length: number;
            /** @description All agents that took part. */
            agents: string[];
            /** @description Number of runs. */
            runs: number;
            /** @description The last message of the latest checkpoint. Null if there is none, or if an older version stored the thread's last report. */
            last_message: components["schemas"]["LastMessageDto"] | null;
            /** @description Checkpoints whose tool calls wait for a person. */
            pending_approvals: number;
            /** Format: date-time */
            started_at: string;
            /** @description From `started_at` to `updated_at`, without the pauses before retries. */
            duration_ms: number;
            /** @description Sum over all runs and attempts. */
            total_tokens: number;
            /** @description Sum over all runs and attempts, US dollars. */
            total_cost_usd: number;
            /** @description Whether it is in progress without an event, heartbeat or lease for `WAYSTATION_SILENT_AFTER_SECONDS`. Computed when read: streams send nothing when the silence begins. */
            silent: boolean;
            /** @description Whether it has an effect in doubt, which a person has to settle. */
            in_doubt: boolean;
            /** @description The conversation, each message exactly as reported. */
            history: unknown[];
            /** @description Times and tokens, parallel to `history`. */
            history_meta: unknown[];
            /** @description In the order of their first reports. */
            run_list: components["schemas"]["ThreadRunDto"][];
            /** @description All runs in order of time, each message once. */
            logs: components["schemas"]["LogEntryDto"][];
            /** @description Only with `logs_limit` or `logs_cursor`: send it as `logs_cursor` for the next page; null on the last. */
            logs_next_cursor?: string | null;
        } & {
            [key: string]: unknown;
        };
        ThreadCheckpointDto: {
            /** @description Identifies the run. */
            trace_id: string;
            agent_id: string;
            step_index: number;
            status: string;
            tokens_used: number;
            input_tokens: number;
            output_tokens: number;
            model: string;
            /** @description US dollars. */
            run_cost_usd: number;
            /** @description US dollars; 0 if none was reported. */
            budget_usd: number;
            budget_warning: boolean;
            /** Format: date-time */
            updated_at: string;
            /** @description The error of `thread_error`, as reported; otherwise null. */
            error: (string | null) | {
                [key: string]: unknown;
            } | unknown[] | number | boolean;
            thread_id: string;
            parent_trace_id: string | null;
            turn_start_history_len: number;
            /** @description Tool calls that wait for a person, exactly as reported. */
            pending_tool_calls: unknown[];
            /** @description The decision on its tool calls. */
            approval: {
                [key: string]: unknown;
            } | null;
            /** @description Messages exactly as reported; not with `history=none`. */
            history?: unknown[];
            /** @description Times and tokens, parallel to `history`. */
            history_meta?: unknown[];
            /** @description With `history=none` only. */
            history_length?: number;
        } & {
            [key: string]: unknown;
        };
        ThreadCheckpointListDto: {
            /** @description Send it as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
            /** @description The number of all items, with `count=true` only. */
            total?: number;
            items: components["schemas"]["ThreadCheckpointDto"][];
        };
        ThreadStepDto: {
            /** @description Identifies the run. */
            trace_id: string;
            agent_id: string;
            step_index: number;
            status: string;
            tokens_used: number;
            input_tokens: number;
            output_tokens: number;
            model: string;
            /** @description US dollars. */
            run_cost_usd: number;
            /** @description US dollars; 0 if none was reported. */
            budget_usd: number;
            budget_warning: boolean;
            /** Format: date-time */
            updated_at: string;
            /** @description The error of `thread_error`, as reported; otherwise null. */
            error: (string | null) | {
                [key: string]: unknown;
            } | unknown[] | number | boolean;
            /** @description The attempt of the run. */
            attempt: number;
            /**
             * Format: date-time
             * @description When its report arrived.
             */
            reported_at: string;
            /** @description Number of messages in its history. */
            history_length: number;
            /** @description Places in the log of the thread, as ranges with both ends included. */
            history_places: string;
            /** @description Places in the log of the thread, as ranges with both ends included. */
            history_meta_places: string;
            /** @description As `cursor` of checkpoints or steps, continues after this step. */
            cursor: string;
        };
        ThreadStepListDto: {
            /** @description Send it as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
            /** @description The number of all items, with `count=true` only. */
            total?: number;
            items: components["schemas"]["ThreadStepDto"][];
        };
        ThreadMessagesDto: {
            /** @description Messages exactly as reported, in the order of the places. */
            history: unknown[];
            /** @description Times and tokens, in the order of their places. */
            history_meta: unknown[];
        };
        RunOrderDto: {
            /** @description Shown with the run and in its logs; a cancellation also sends it to the program. */
            reason?: string | null;
            /** @description Who decided it, for the record. In a session of the console it is who signed in. */
            decided_by?: string | null;
        };
        CancelledRunDto: {
            thread_id: string;
            trace_id: string;
            agent_id: string;
            /** @enum {string} */
            status: "cancelled";
            /** Format: date-time */
            cancelled_at: string;
        };
        StatsItemDto: {
            /** @description Started attempts of runs. Each turn of a chat and each restart counts. */
            runs: number;
            /** @description Attempts that have completed. */
            completed: number;
            /** @description Attempts that ended with `error` or `budget_exceeded`. */
            failed: number;
            /** @description Tokens that they have reported so far. */
            tokens: number;
            /** @description Cost so far, in US dollars. */
            cost_usd: number;
            /** @description The start of the hour in UTC, the day, the agent's id, or the model (empty if unknown). */
            key: string;
        };
        RunSumsDto: {
            /** @description Started attempts of runs. Each turn of a chat and each restart counts. */
            runs: number;
            /** @description Attempts that have completed. */
            completed: number;
            /** @description Attempts that ended with `error` or `budget_exceeded`. */
            failed: number;
            /** @description Tokens that they have reported so far. */
            tokens: number;
            /** @description Cost so far, in US dollars. */
            cost_usd: number;
        };
        StatsDto: {
            /** @description By hour or day: every one in the range, in order. By agent or model: those with runs, most expensive first. */
            items: components["schemas"]["StatsItemDto"][];
            totals: components["schemas"]["RunSumsDto"];
        };
        QuestionOptionDto: {
            label: string;
            /** @description What the agent gets. */
            value: string;
            description: string | null;
        };
        QuestionDto: {
            /** @description Unique among the questions of the call. */
            id: string;
            text: string;
            header: string | null;
            options: components["schemas"]["QuestionOptionDto"][];
            /** @description Whether the answer may be several texts. */
            multiple: boolean;
            /** @description Whether the answer may be the person's own words. */
            free_text: boolean;
            required: boolean;
            /** @description The answer where nobody gives one in time. */
            default: (string | null) | (string[] | null);
        };
        ToolCallDto: {
            index: number;
            /** @description The framework's id of the call. */
            id: string | null;
            name: string | null;
            /** @description The arguments, exactly as reported. */
            args: (Record<string, never> | null) | (unknown[] | null) | (string | null) | (number | null) | (boolean | null);
            /**
             * @description Null before a decision.
             * @enum {string|null}
             */
            decision: "approve" | "reject" | "answer" | null;
            /** @description Arguments to use instead of `args`. */
            edited_args: (Record<string, never> | null) | (unknown[] | null) | (string | null);
            /** @description With `answer`: the answers, by the ids of the questions. */
            answers?: {
                [key: string]: string | string[];
            };
            /** @description Only of a call that asks questions, in a checkpoint that declares the feature `answer`. */
            questions?: components["schemas"]["QuestionDto"][];
            /** @description All that people may decide; absent for no limit. `respond` answers the questions. */
            allowed_decisions?: ("approve" | "edit" | "reject" | "respond")[];
            /** @description The reason for this call alone, if there is one. */
            reason?: string;
            /** @description The rule that decided this call; absent if a person did. */
            rule_id?: string;
            /** @description The call exactly as reported; null if it is too large to show. */
            raw: (Record<string, never> | null) | (unknown[] | null) | (string | null) | (number | null) | (boolean | null);
        };
        ApprovalDto: {
            trace_id: string;
            step: number;
            thread_id: string;
            agent_id: string;
            parent_trace_id: string | null;
            /**
             * @description `question` if a call asks questions: it takes answers.
             * @enum {string}
             */
            kind: "approval" | "question";
            /** @enum {string} */
            status: "pending" | "approved" | "rejected" | "expired" | "superseded";
            tool_calls: components["schemas"]["ToolCallDto"][];
            /** @description True if the calls exceed 1,048,576 characters or 10,000 calls, otherwise absent: some show only id and name, with `raw` null. */
            tool_calls_cut?: boolean;
            /** @description Hash of the exact calls; send it with the decision. */
            digest: string;
            /** @description The parts of a decision that the agent declares to support. */
            approval_features: string[];
            /** @description The attempt of the run, from 1. */
            attempt: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /** @description How often people were reminded of it. */
            reminded: number;
            /** Format: date-time */
            decided_at: string | null;
            decided_by: string | null;
            /** @description Name of the token, `console`, or the server's own action. */
            decided_through: string | null;
            reason: string | null;
            /** @description The standing rule that decided; null if none did. Then `decided_by` is `rule:` and this id, `decided_through` is `rule`, and `reason` is the note of the rule. */
            rule_id: string | null;
        };
        ApprovalListDto: {
            /** @description Send it as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
            /** @description The number of all items, with `count=true` only. */
            total?: number;
            items: components["schemas"]["ApprovalDto"][];
        };
        ApprovalAddressDto: {
            thread_id: string;
            trace_id: string;
            step: number;
            /** @description Attempt of the run. */
            attempt: number;
            /** @description Of the exact calls. */
            digest: string;
            status: string;
            agent_id: string;
        };
        RefusedDecisionDto: {
            /** @description The call. */
            index: number;
            /** @enum {string} */
            decision: "approve" | "edit" | "reject" | "respond";
            allowed_decisions: ("approve" | "edit" | "reject" | "respond")[];
        };
        DecisionConflictDto: {
            /** @description URI of the kind of error. */
            type: string;
            /** @description The status in words. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What went wrong, for people. */
            detail: string;
            /** @description Path of the request; absent if the server could not read it. */
            instance?: string;
            /** @description What went wrong, for programs. Stable. */
            code: string;
            /** @description The invalid fields, if any. */
            errors?: components["schemas"]["FieldFaultDto"][];
            /** @description With `approval_closed`: the current approval. */
            approval?: components["schemas"]["ApprovalAddressDto"];
            /** @description With `ambiguous_approval` and `stale_digest`: the approvals at this address. */
            approvals?: components["schemas"]["ApprovalAddressDto"][];
            /** @description With `approval_feature_missing`: the features that the agent does not declare. */
            missing_features?: string[];
            /** @description With `decision_not_allowed`: what the calls do not allow. */
            refused?: components["schemas"]["RefusedDecisionDto"][];
        };
        CallDecisionDto: {
            /** @description The call; each at most once. */
            index: number;
            /** @enum {string} */
            decision: "approve" | "reject";
            /** @description Arguments to use instead; needs the feature `edit_args`. */
            args?: (Record<string, never> | null) | (unknown[] | null) | (string | null);
            reason?: string | null;
        };
        DecisionDto: {
            reason?: string | null;
            /** @description Who decided, as free text. A session of the console may give only its own name, which is its default. */
            decided_by?: string | null;
            /** @description Digest of the calls that the person saw; the server refuses the decision if they differ. */
            digest?: string | null;
            /** @description Decisions for single calls; the rest take the verb of the path. Needs the feature `per_call`. */
            decisions?: components["schemas"]["CallDecisionDto"][] | null;
        };
        DecidedApprovalDto: {
            trace_id: string;
            step: number;
            thread_id: string;
            agent_id: string;
            parent_trace_id: string | null;
            /**
             * @description `question` if a call asks questions: it takes answers.
             * @enum {string}
             */
            kind: "approval" | "question";
            /** @enum {string} */
            status: "pending" | "approved" | "rejected" | "expired" | "superseded";
            tool_calls: components["schemas"]["ToolCallDto"][];
            /** @description True if the calls exceed 1,048,576 characters or 10,000 calls, otherwise absent: some show only id and name, with `raw` null. */
            tool_calls_cut?: boolean;
            /** @description Hash of the exact calls; send it with the decision. */
            digest: string;
            /** @description The parts of a decision that the agent declares to support. */
            approval_features: string[];
            /** @description The attempt of the run, from 1. */
            attempt: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /** @description How often people were reminded of it. */
            reminded: number;
            /** Format: date-time */
            decided_at: string | null;
            decided_by: string | null;
            /** @description Name of the token, `console`, or the server's own action. */
            decided_through: string | null;
            reason: string | null;
            /** @description The standing rule that decided; null if none did. Then `decided_by` is `rule:` and this id, `decided_through` is `rule`, and `reason` is the note of the rule. */
            rule_id: string | null;
            /**
             * @description The decision stands.
             * @enum {boolean}
             */
            ok: true;
            /** @description The same as `step`. */
            step_index: number;
        };
        CallAnswersDto: {
            /** @description The call; each at most once. */
            index: number;
            /** @description A text, or a list of texts, by the id of each question: values of options, or up to 10000 characters of the person's own words where the question allows it. */
            values: {
                [key: string]: string | string[];
            };
        };
        AnswerDto: {
            reason?: string | null;
            /** @description Who decided, as free text. A session of the console may give only its own name, which is its default. */
            decided_by?: string | null;
            /** @description Digest of the calls that the person saw; the server refuses the decision if they differ. */
            digest?: string | null;
            /** @description An entry for each call that asks questions. */
            answers: components["schemas"]["CallAnswersDto"][];
            /** @description An entry for each call that asks none. `reject` also declines a question. */
            decisions?: components["schemas"]["CallDecisionDto"][] | null;
        };
        RehearsedCallSummaryDto: {
            trace_id: string;
            step: number;
            thread_id: string;
            agent_id: string;
            /** @description Path of the approval. */
            link: string;
            /**
             * Format: date-time
             * @description When the approval was opened.
             */
            created_at: string;
            /** @description The call of the approval. */
            index: number;
            name: string | null;
            /**
             * @description What people said.
             * @enum {string}
             */
            decision: "approved" | "edited" | "rejected" | "expired";
            /**
             * @description What the rule says; null for nothing.
             * @enum {string|null}
             */
            word: "allow" | "deny" | "ask" | null;
            /** @description Why the rule says nothing; null if it does. */
            why: string | null;
        };
        RehearsalTotalDto: {
            /** @description Calls of the agents and tools of the rule. */
            calls: number;
            /** @description Calls of these that the rule decides. */
            ruled: number;
        };
        RehearsalTotalsDto: {
            approved: components["schemas"]["RehearsalTotalDto"];
            /** @description Approved with other arguments. */
            edited: components["schemas"]["RehearsalTotalDto"];
            rejected: components["schemas"]["RehearsalTotalDto"];
            expired: components["schemas"]["RehearsalTotalDto"];
        };
        RuleConflictDto: {
            /** @description URI of the kind of error. */
            type: string;
            /** @description The status in words. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What went wrong, for people. */
            detail: string;
            /** @description Path of the request; absent if the server could not read it. */
            instance?: string;
            /** @description What went wrong, for programs. Stable. */
            code: string;
            /** @description The invalid fields, if any. */
            errors?: components["schemas"]["FieldFaultDto"][];
            /** @description With `rule_disagrees`. */
            disagreements?: number;
            /** @description With `rule_disagrees`: at most 20. */
            items?: components["schemas"]["RehearsedCallSummaryDto"][];
            /** @description With `rule_disagrees`. */
            totals?: components["schemas"]["RehearsalTotalsDto"];
            /** @description With `rule_disagrees`. */
            is_partial?: boolean;
        };
        RuleConditionDto: {
            /** @description JSON pointer into the arguments. */
            path: string;
            /** @description The same JSON value. */
            equals?: (Record<string, never> | null) | (unknown[] | null) | (string | null) | (number | null) | (boolean | null);
            /** @description One of these values. */
            one_of?: ((Record<string, never> | null) | (unknown[] | null) | (string | null) | (number | null) | (boolean | null))[];
            /** @description A number of at most 40 digits, compared exactly. */
            min?: number;
            /** @description The same. */
            max?: number;
            /** @description A text that begins with it. In `allow`, the rest has letters, digits and `_ - . / : @ + = ,`, but no `..`; an address must end its host with `/`. */
            prefix?: string;
            /** @description An absolute path in this folder. In `allow`, no segment below it is empty or begins with a dot. Links are not followed. */
            within?: string;
            /** @description These words with single blanks between them; `*` is one relative name. In `allow`, no `*` may stand behind a shell, an interpreter or another program that runs what it is told. */
            words?: string;
            /**
             * @description Any value. In `allow`, none with a member called command, cmd, script, code or sql.
             * @enum {boolean}
             */
            any?: true;
        };
        RuleSumDto: {
            /** @description JSON pointer to a number that is not negative. */
            path: string;
            /** @description In any 24 hours, added exactly. */
            per_day: number;
        };
        RuleLimitsDto: {
            /** @description Calls in any 24 hours. */
            per_day: number;
            sum?: components["schemas"]["RuleSumDto"] | null;
        };
        CreateRuleDto: {
            /**
             * @description `deny` beats `ask`, which beats `allow`.
             * @enum {string}
             */
            effect: "allow" | "deny" | "ask";
            /** @description Exact ids of agents; in `deny` and `ask`, a trailing `*` stands for any rest. */
            agents: string[];
            /** @description The same for tools. */
            tools: string[];
            /** @description All of them must be true. In `allow`, every member of the arguments must lie at or below one of them. */
            where?: components["schemas"]["RuleConditionDto"][] | null;
            /**
             * @description `any`: an `allow` takes members that no condition names, but none called command, cmd, script, code or sql.
             * @default none
             * @enum {string|null}
             */
            other?: "none" | "any" | null;
            /** @description Only calls of agents that work in this folder (`cwd` of the call). */
            folder?: string | null;
            /** @description An `allow` must have them. */
            limits?: components["schemas"]["RuleLimitsDto"] | null;
            /**
             * Format: date-time
             * @description An `allow` ends after 90 days, or then, at most 366 days from now; other rules never, or then.
             */
            expires_at?: string | null;
            /** @description Why; the reason of what it decides. */
            note: string;
            /** @description With how many decisions of people an `allow` may disagree: the number of `rule_disagrees`. */
            disagreements?: number | null;
        };
        RuleResponseDto: {
            id: string;
            /** @enum {string} */
            status: "active" | "expired" | "revoked";
            /** @enum {string} */
            effect: "allow" | "deny" | "ask";
            agents: string[];
            tools: string[];
            where: components["schemas"]["RuleConditionDto"][];
            /** @enum {string} */
            other: "none" | "any";
            folder: string | null;
            limits: components["schemas"]["RuleLimitsDto"] | null;
            /** Format: date-time */
            expires_at: string | null;
            note: string;
            /** @description Calls that it decided. An `ask` decides none. */
            uses: number;
            /** Format: date-time */
            last_used_at: string | null;
            /** Format: date-time */
            created_at: string;
            /** @description The person, if signed in to the console. */
            created_by: string | null;
            /** @description Name of the token, or `console`. */
            created_through: string;
            /** Format: date-time */
            revoked_at: string | null;
            revoked_by: string | null;
            revoked_through: string | null;
        };
        RuleDto: {
            /**
             * @description `deny` beats `ask`, which beats `allow`.
             * @enum {string}
             */
            effect: "allow" | "deny" | "ask";
            /** @description Exact ids of agents; in `deny` and `ask`, a trailing `*` stands for any rest. */
            agents: string[];
            /** @description The same for tools. */
            tools: string[];
            /** @description All of them must be true. In `allow`, every member of the arguments must lie at or below one of them. */
            where?: components["schemas"]["RuleConditionDto"][] | null;
            /**
             * @description `any`: an `allow` takes members that no condition names, but none called command, cmd, script, code or sql.
             * @default none
             * @enum {string|null}
             */
            other?: "none" | "any" | null;
            /** @description Only calls of agents that work in this folder (`cwd` of the call). */
            folder?: string | null;
            /** @description An `allow` must have them. */
            limits?: components["schemas"]["RuleLimitsDto"] | null;
            /**
             * Format: date-time
             * @description An `allow` ends after 90 days, or then, at most 366 days from now; other rules never, or then.
             */
            expires_at?: string | null;
            /** @description Why; the reason of what it decides. */
            note: string;
        };
        RehearseRuleDto: {
            rule: components["schemas"]["RuleDto"];
            /**
             * Format: date-time
             * @description Only calls decided since.
             */
            since?: string | null;
        };
        RehearsedCallDto: {
            trace_id: string;
            step: number;
            thread_id: string;
            agent_id: string;
            /** @description Path of the approval. */
            link: string;
            /**
             * Format: date-time
             * @description When the approval was opened.
             */
            created_at: string;
            /** @description The call of the approval. */
            index: number;
            name: string | null;
            /**
             * @description What people said.
             * @enum {string}
             */
            decision: "approved" | "edited" | "rejected" | "expired";
            /**
             * @description What the rule says; null for nothing.
             * @enum {string|null}
             */
            word: "allow" | "deny" | "ask" | null;
            /** @description Why the rule says nothing; null if it does. */
            why: string | null;
            /** @description The arguments; null if their JSON is longer than 16,384 characters. */
            args: (Record<string, never> | null) | (unknown[] | null) | (string | null) | (number | null) | (boolean | null);
        };
        RehearsalDto: {
            /** @description At most 200 calls: first those on which the rule disagrees with people, then others that it decides. */
            items: components["schemas"]["RehearsedCallDto"][];
            totals: components["schemas"]["RehearsalTotalsDto"];
            /** @description Calls that an `allow` allows although people rejected or edited them, or a `deny` denies although they did not reject them. */
            disagreements: number;
            /** @description There are more than 10,000 calls, or reading them took more than 5 seconds. */
            is_partial: boolean;
        };
        RuleSuggestionDto: {
            /** @description For `POST /v1/rules`. */
            rule: components["schemas"]["RuleDto"];
            /** @description How many approved calls it is based on. */
            calls: number;
            /** @description JSON pointers of values that it cannot bound. Until you add conditions for them, it allows nothing. */
            open: string[];
        };
        RuleSuggestionsDto: {
            items: components["schemas"]["RuleSuggestionDto"][];
        };
        RuleListDto: {
            /** @description Send it as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
            /** @description The number of all items, with `count=true` only. */
            total?: number;
            items: components["schemas"]["RuleResponseDto"][];
        };
        EffectSummaryDto: {
            thread_id: string;
            /** @description What the effect does, in your words. */
            key: string;
            /** @description The run of the last claim. */
            trace_id: string;
            agent_id: string;
            tool: string;
            /** @enum {string} */
            kind: "write" | "idempotent";
            /** @description The framework's id of the call. */
            call_id: string | null;
            /** @enum {string} */
            state: "started" | "completed" | "failed" | "not_done";
            /** @description It was started, and its outcome is unknown. */
            in_doubt: boolean;
            /** @description How often it was claimed. */
            attempt: number;
            holder: string | null;
            /**
             * Format: date-time
             * @description When it was last claimed.
             */
            started_at: string;
            /** Format: date-time */
            settled_at: string | null;
            /** @description The result was too large to be kept. */
            result_omitted: boolean;
            /** @description The person who settled it. */
            decided_by: string | null;
            reason: string | null;
        };
        EffectMismatchDto: {
            /** @description URI of the kind of error. */
            type: string;
            /** @description The status in words. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What went wrong, for people. */
            detail: string;
            /** @description Path of the request; absent if the server could not read it. */
            instance?: string;
            /** @description What went wrong, for programs. Stable. */
            code: string;
            /** @description The invalid fields, if any. */
            errors?: components["schemas"]["FieldFaultDto"][];
            /** @description The current effect, if there is one. */
            effect?: components["schemas"]["EffectSummaryDto"];
            /** @description With `ambiguous_effect`: the agents that have an effect with this key. */
            agents?: string[];
            /** @description With `effect_mismatch`: what differs from the earlier claim, of `tool`, `kind` and `args`. */
            differs?: string[];
        };
        EffectConflictDto: {
            /** @description URI of the kind of error. */
            type: string;
            /** @description The status in words. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What went wrong, for people. */
            detail: string;
            /** @description Path of the request; absent if the server could not read it. */
            instance?: string;
            /** @description What went wrong, for programs. Stable. */
            code: string;
            /** @description The invalid fields, if any. */
            errors?: components["schemas"]["FieldFaultDto"][];
            /** @description The current effect, if there is one. */
            effect?: components["schemas"]["EffectSummaryDto"];
            /** @description With `ambiguous_effect`: the agents that have an effect with this key. */
            agents?: string[];
        };
        ClaimEffectDto: {
            /** @description The run; it need not have been reported yet. */
            trace_id: string;
            /** @description The agent; by default that of the run. */
            agent_id?: string | null;
            /** @description What the effect does, not its position in the run. Unique within the thread and the agent; sub-agents share their agent's keys. */
            key: string;
            tool: string;
            /** @description The arguments, 1 MiB at most. */
            args?: (string | null) | {
                [key: string]: unknown;
            } | unknown[] | number | boolean;
            /** @description The framework's id of the call. If an approval of the run contains the call, its decision applies. */
            call_id?: string | null;
            /**
             * @description `idempotent` effects may run again while their outcome is unknown.
             * @default write
             * @enum {string|null}
             */
            kind?: "write" | "idempotent" | null;
            /** @description Identifies this claim: resent, it gets the same response. */
            claim_id?: string | null;
            /** @description The claimer's name, for people. */
            holder?: string | null;
            /** @description The current fence of the run's lease. */
            fence?: number | null;
            /**
             * @description Seconds after which a `write` that was claimed without a lease is in doubt.
             * @default 300
             */
            doubt_after_seconds?: number | null;
        };
        EffectDto: {
            thread_id: string;
            /** @description What the effect does, in your words. */
            key: string;
            /** @description The run of the last claim. */
            trace_id: string;
            agent_id: string;
            tool: string;
            /** @enum {string} */
            kind: "write" | "idempotent";
            /** @description The framework's id of the call. */
            call_id: string | null;
            /** @enum {string} */
            state: "started" | "completed" | "failed" | "not_done";
            /** @description It was started, and its outcome is unknown. */
            in_doubt: boolean;
            /** @description How often it was claimed. */
            attempt: number;
            holder: string | null;
            /**
             * Format: date-time
             * @description When it was last claimed.
             */
            started_at: string;
            /** Format: date-time */
            settled_at: string | null;
            /** @description The result was too large to be kept. */
            result_omitted: boolean;
            /** @description The person who settled it. */
            decided_by: string | null;
            reason: string | null;
            /** @description Exactly as claimed. */
            args: (string | null) | {
                [key: string]: unknown;
            } | unknown[] | number | boolean;
            /** @description Exactly as reported. */
            result: (string | null) | {
                [key: string]: unknown;
            } | unknown[] | number | boolean;
            /** @description Exactly as reported. */
            error: (string | null) | {
                [key: string]: unknown;
            } | unknown[] | number | boolean;
        };
        SettleEffectDto: {
            /**
             * @description The attempt that is meant.
             * @default 1
             */
            attempt?: number | null;
            /**
             * @description `completed`: the call is never made again. `failed` and `not_done`: it had no effect and can be claimed again. `unknown`: it is in doubt.
             * @enum {string}
             */
            outcome: "completed" | "failed" | "not_done" | "unknown";
            /** @description 1 MiB at most. */
            result?: (string | null) | {
                [key: string]: unknown;
            } | unknown[] | number | boolean;
            /** @description The result is too large to be sent. */
            result_omitted?: boolean | null;
            /** @description 1 MiB at most. */
            error?: (string | null) | {
                [key: string]: unknown;
            } | unknown[] | number | boolean;
            reason?: string | null;
            /** @description The person who found out. The server ignores it from tokens of scope `runner`. */
            decided_by?: string | null;
            /** @description The claim's `claim_id`, which proves that the holder settles it. Without it, a token of scope `runner`, or of scope `admin` without `decided_by`, counts as the holder until a settlement with the `claim_id` says otherwise. */
            claim_id?: string | null;
        };
        EffectListDto: {
            /** @description Send it as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
            items: components["schemas"]["EffectDto"][];
        };
        LatestReportDto: {
            /** @description Id of the event that reported it, if it had one. */
            id: string | null;
            step_index: number;
            /** @description Number of messages in its history. */
            length: number;
        };
        RejectedEventDto: {
            /** @description Its position in `events`, from 0. */
            index: number;
            /** @description Its type as reported. */
            type: string | null;
            /** @description What went wrong, for programs. Stable. */
            code: string;
            /** @description The invalid fields and what was expected, or why the event may not be reported. */
            detail: string;
            /** @description With the code `base_mismatch`: the latest checkpoint of the run, or null. Send the event again with its whole history, under the same id. */
            latest?: components["schemas"]["LatestReportDto"] | null;
        };
        RefusedBatchDto: {
            /** @description URI of the kind of error. */
            type: string;
            /** @description The status in words. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What went wrong, for people. */
            detail: string;
            /** @description Path of the request; absent if the server could not read it. */
            instance?: string;
            /** @description What went wrong, for programs. Stable. */
            code: string;
            /** @description The invalid fields, if any. */
            errors?: components["schemas"]["FieldFaultDto"][];
            /** @description With the code `no_event_saved`: the errors of each event. */
            rejected?: components["schemas"]["RejectedEventDto"][];
        };
        RunnerEventDto: {
            /** @description thread_started, checkpoint, thread_completed, thread_error, thread_budget_exceeded, budget_warning, thread_idle, heartbeat, effect_settled (the members of `PUT .../effects/{key}`, with thread_id and key), attachment (a file for the chat that the run answers: `digest` and `size_bytes` of what `PUT /v1/runners/threads/{thread_id}/attachments/{sha256}` has stored, and `name`, `media_type`, `caption` if wanted), and workflow_started, team_started with their _completed and _failed; other types are only stored in the thread's log. */
            type: string;
            /** @description Only thread_id is mandatory; unknown members are stored and returned, except what `latest` has added to its response. A checkpoint of an event with an `id` may carry `history_base` `{id, length, is_latest?}`: the history then starts with the first `length` messages (and as many entries of metadata) of the checkpoint that the agent reported with that event id in this thread, and continues with `history` and `history_meta`. With `is_latest: true`, that checkpoint must be the run's latest. With `is_latest: true` and `length: 0` the lists are whole; `id` is null if the run's latest checkpoint has no event id, or the run has no checkpoint. `history_base` is not returned. */
            data: {
                [key: string]: unknown;
            };
            /** @description The event's id: the server treats any later event with it as a replay. */
            id?: string | null;
            /** @description The sender's sequence number of the event. */
            sequence_num?: number | null;
            /** @description When it occurred: an ISO 8601 time (UTC unless it names a zone), or seconds or milliseconds since 1970. */
            occurred_at?: (string | null) | number;
            /**
             * Format: int64
             * @description The fence of the sender's lease; the event must name the run's trace. If it is not the run's current fence, or is missing while the run is leased, the event is rejected with `stale_fence`. It is not stored, and has no effect inside `data`.
             */
            fence?: number | null;
        };
        EventBatchDto: {
            /** @description At most 1,000 (configurable). */
            events: components["schemas"]["RunnerEventDto"][];
        };
        EventWarningDto: {
            /** @description Its position in `events`, from 0. */
            index: number;
            /** @description What was probably meant: another type, or a fence next to `type` instead of inside `data`. */
            detail: string;
        };
        RunControlDto: {
            thread_id: string;
            trace_id: string;
            /**
             * @description Stop the run: a person has cancelled it.
             * @enum {string}
             */
            action: "cancel";
            /** @description The person's reason, if given. */
            reason?: string;
        };
        IngestionResponseDto: {
            /** @description Accepted events, including replays. */
            saved: number;
            /** @description Rejected events. */
            rejected: components["schemas"]["RejectedEventDto"][];
            /** @description Events that look like mistakes: a mistyped type, a fence inside `data`. Absent if there are none. */
            warnings?: components["schemas"]["EventWarningDto"][];
            /** @description Cancelled runs among the events' runs, their parents, and the runs that heartbeats list as queued. Absent if there are none. */
            control?: components["schemas"]["RunControlDto"][];
        };
        RepairDto: {
            /** @description Index of the changed message in `history`; its length for appended messages. */
            index: number;
            /**
             * @description `not_understood` is always the only entry: from message `index` on, the history has no known format. `history_for_model` is then `history` unchanged, possibly with calls that have no result. More kinds may be added.
             * @enum {string}
             */
            kind: "inserted_result" | "replaced_result" | "moved_result" | "removed_result" | "removed_call" | "removed_reasoning" | "removed_empty" | "removed_message" | "reordered_message" | "inserted_message" | "merged_message" | "appended_note" | "not_understood";
            call_id: string | null;
            /** @description For people. */
            detail: string;
        };
        WaitingRunDto: {
            trace_id: string;
            agent_id: string;
            step_index: number;
        };
        CheckpointDto: {
            /** @description Identifies the run. */
            trace_id: string;
            agent_id: string;
            step_index: number;
            status: string;
            tokens_used: number;
            input_tokens: number;
            output_tokens: number;
            model: string;
            /** @description US dollars. */
            run_cost_usd: number;
            /** @description US dollars; 0 if none was reported. */
            budget_usd: number;
            budget_warning: boolean;
            /** Format: date-time */
            updated_at: string;
            /** @description The error of `thread_error`, as reported; otherwise null. */
            error: (string | null) | {
                [key: string]: unknown;
            } | unknown[] | number | boolean;
            thread_id: string;
            parent_trace_id: string | null;
            turn_start_history_len: number;
            /** @description Tool calls that wait for a person, exactly as reported. */
            pending_tool_calls: unknown[];
            /** @description The decision on its tool calls. */
            approval: {
                [key: string]: unknown;
            } | null;
            /** @description The conversation, each message exactly as reported. */
            history: unknown[];
            /** @description Times and tokens, parallel to `history`. */
            history_meta: unknown[];
            /** @description With `history=none` only. */
            history_length?: number;
            /** @description With `history=none` only: id of the event that reported it, if it had one. */
            event_id?: string | null;
            /**
             * Format: int64
             * @description With `history=none` only: number of the last change of the thread that changed it.
             */
            rev?: number;
            /** @description With `resume=safe` only: unsettled effects of the checkpoint's agent in the thread, and settled ones whose call has no result in `history`. Only the newest if there are too many. */
            effects?: components["schemas"]["EffectDto"][];
            /** @description With `resume=safe` only: a copy of `history` that a provider accepts. Every tool call has one result. Messages that need no repair keep their exact text. A history without one known format is returned unchanged, and `repairs` says `not_understood`. */
            history_for_model?: unknown[];
            /** @description With `resume=safe` only: how `history_for_model` differs from `history`. */
            repairs?: components["schemas"]["RepairDto"][];
            /** @description With `resume=safe` only: runs of the thread that wait for a person. */
            waiting?: components["schemas"]["WaitingRunDto"][];
        } & {
            [key: string]: unknown;
        };
        AgentTriggerDto: {
            /** @description Position in the agent's definition. */
            id: string;
            /** @enum {string} */
            type: "webhook" | "schedule";
            /** @description Path of a webhook. */
            endpoint?: string;
            /** @description The schedule: a cron expression with five fields. */
            cron?: string;
            /** @description Time zone of a schedule. */
            timezone?: string;
            /** @description The schedule's next firings, as its process computes them. */
            next?: string[];
        };
        QueuedRunDto: {
            thread_id: string;
            trace_id: string;
            /**
             * Format: date-time
             * @description When the agent accepted it.
             */
            queued_at: string;
        };
        AgentResponseDto: {
            agent_id: string;
            /** @description Whether a heartbeat came within the last 45 seconds. */
            online: boolean;
            /** Format: date-time */
            last_seen: string;
            /** @description Base address for starting the agent; null if this server cannot start it. */
            endpoint: string | null;
            /** @description What starts the agent, from its last heartbeat; empty if it said nothing. */
            triggers: components["schemas"]["AgentTriggerDto"][];
            /** @description Runs that the agent has accepted but not started, from its last heartbeat, oldest first. They can be cancelled like others. */
            queued_runs: components["schemas"]["QueuedRunDto"][];
        };
        AgentListResponseDto: {
            /** @description Send it as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
            /** @description The number of all items, with `count=true` only. */
            total?: number;
            items: components["schemas"]["AgentResponseDto"][];
        };
        InvokeAgentDto: {
            /** @description The task for the agent. */
            message: string;
            /** @description The thread to continue. Without it, the server creates a thread id. */
            thread_id?: string | null;
            /** @description Passed to the agent unchanged. */
            context?: {
                [key: string]: unknown;
            } | null;
        };
        InvokedRunDto: {
            /** @description The run's `trace_id`. */
            run_id: string;
            thread_id: string;
            /** @enum {string} */
            status: "started";
        };
        LeaseConflictDto: {
            /** @description URI of the kind of error. */
            type: string;
            /** @description The status in words. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What went wrong, for people. */
            detail: string;
            /** @description Path of the request; absent if the server could not read it. */
            instance?: string;
            /** @description What went wrong, for programs. Stable. */
            code: string;
            /** @description The invalid fields, if any. */
            errors?: components["schemas"]["FieldFaultDto"][];
            /** @description With `lease_held`: the holder. */
            holder?: string;
            /**
             * Format: date-time
             * @description With `lease_held`: when it expires unless renewed.
             */
            expires_at?: string;
        };
        ClaimLeaseDto: {
            /** @description A name for this process alone: whoever gives the same name gets the same lease. A restarted process takes a new name. */
            holder: string;
            /** @description The agent of a run that has not begun. Required for a token bound to several agents. */
            agent_id?: string | null;
            /**
             * @description Seconds until others may take the lease. Renew it after a third of that.
             * @default 60
             */
            ttl_seconds?: number | null;
            /**
             * Format: int64
             * @description The current fence, for a handover: the caller gets the lease at once, with a new fence.
             */
            fence?: number | null;
            /**
             * @description Takes the lease from whoever holds it. Needs the scope `admin`.
             * @default false
             */
            force?: boolean | null;
        };
        GrantedLeaseDto: {
            /**
             * Format: int64
             * @description Put it into every event of the run. The server rejects events of earlier holders.
             */
            fence: number;
            holder: string;
            /**
             * Format: date-time
             * @description When others may take it.
             */
            expires_at: string;
        };
        LeaseDto: {
            holder: string;
            /**
             * Format: date-time
             * @description When others may take it.
             */
            expires_at: string;
            /** @description False once it has expired. Events without its fence are still rejected. */
            live: boolean;
        };
        OwnThreadDto: {
            thread_id: string;
            /** @description Of its latest checkpoint. */
            status: string;
            /** @description All agents that took part. */
            agents: string[];
            /** @description Number of runs. */
            runs: number;
            /** Format: date-time */
            started_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        OwnThreadListDto: {
            /** @description Send it as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
            /** @description In the order of the ids' code points. */
            items: components["schemas"]["OwnThreadDto"][];
        };
        OwnRunListDto: {
            /** @description Send it as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
            /** @description In the order of their first reports. */
            items: components["schemas"]["ThreadRunDto"][];
        };
        SentValueDto: {
            /** @description Returned as sent. */
            version: string | number;
            /** @description The tag of the serialiser. */
            type: string;
            /**
             * Format: byte
             * @description Base64 with padding.
             */
            data?: string | null;
            /** @description Instead of `data`, if the thread already has the value: SHA-256 of the bytes in hexadecimal. */
            digest?: string | null;
        };
        StateValueDto: {
            /** @description The tag of the serialiser. */
            type: string;
            /**
             * Format: byte
             * @description Base64 with padding.
             */
            data: string;
            /** @description Returned as sent. */
            version: string | number;
            /** @description SHA-256 of the bytes in hexadecimal. */
            digest: string;
        };
        UnknownDigestDto: {
            /** @description URI of the kind of error. */
            type: string;
            /** @description The status in words. */
            title: string;
            /** @description The HTTP status. */
            status: number;
            /** @description What went wrong, for people. */
            detail: string;
            /** @description Path of the request; absent if the server could not read it. */
            instance?: string;
            /** @description What went wrong, for programs. Stable. */
            code: string;
            /** @description The invalid fields, if any. */
            errors?: components["schemas"]["FieldFaultDto"][];
            /** @description The channels whose digests the thread does not have. */
            channels?: string[];
        };
        SerializedDto: {
            /** @description The tag of the serialiser. */
            type: string;
            /**
             * Format: byte
             * @description Base64 with padding.
             */
            data: string;
        };
        PutStateDto: {
            /** @description The checkpoint before it. */
            parent_id?: string | null;
            /** @description The checkpoint without the values of its channels. */
            checkpoint: components["schemas"]["SerializedDto"];
            /** @description Kept exactly; 1 MiB at most. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description The values by their channels, 10,000 at most. */
            values?: {
                [key: string]: components["schemas"]["SentValueDto"];
            } | null;
        };
        StoredStateDto: {
            checkpoint_id: string;
            /** @description The digest of each value, by its channel. */
            digests: {
                [key: string]: string;
            };
        };
        SentWriteDto: {
            /** @description The tag of the serialiser. */
            type: string;
            /**
             * Format: byte
             * @description Base64 with padding.
             */
            data: string;
            /** @description Index of the write. A negative index replaces an earlier write; otherwise the first one stays. */
            idx: number;
            channel: string;
        };
        PutWritesDto: {
            task_id: string;
            /** @default  */
            task_path?: string | null;
            /** @description 10,000 at most. */
            writes: components["schemas"]["SentWriteDto"][];
        };
        SentStepCheckpointDto: {
            /** @description The checkpoint before it. */
            parent_id?: string | null;
            /** @description The checkpoint without the values of its channels. */
            checkpoint: components["schemas"]["SerializedDto"];
            /** @description Kept exactly; 1 MiB at most. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description The values by their channels, 10,000 at most. */
            values?: {
                [key: string]: components["schemas"]["SentValueDto"];
            } | null;
            /**
             * @description The namespace; empty for the graph itself.
             * @default
             */
            ns?: string | null;
            checkpoint_id: string;
        };
        SentStepWritesDto: {
            task_id: string;
            /** @default  */
            task_path?: string | null;
            /** @description 10,000 at most. */
            writes: components["schemas"]["SentWriteDto"][];
            /**
             * @description The namespace; empty for the graph itself.
             * @default
             */
            ns?: string | null;
            /** @description Their checkpoint, which may come later. */
            checkpoint_id: string;
        };
        PutStepDto: {
            checkpoint?: components["schemas"]["SentStepCheckpointDto"] | null;
            /** @description Each task once. */
            writes?: components["schemas"]["SentStepWritesDto"][] | null;
            /** @description As in a batch of runner events. They are stored once the rest is. */
            events?: components["schemas"]["RunnerEventDto"][] | null;
        };
        StoredStepDto: {
            checkpoint: components["schemas"]["StoredStateDto"] | null;
            /** @description Also where no event could be saved. */
            events: components["schemas"]["IngestionResponseDto"] | null;
        };
        StateWriteDto: {
            /** @description The tag of the serialiser. */
            type: string;
            /**
             * Format: byte
             * @description Base64 with padding.
             */
            data: string;
            /** @description Index of the write. A negative index replaces an earlier write; otherwise the first one stays. */
            idx: number;
            channel: string;
            task_id: string;
            task_path: string;
        };
        StateDto: {
            thread_id: string;
            /** @description As the writer named it. */
            agent_id: string;
            /** @description The namespace; empty for the graph itself. */
            ns: string;
            checkpoint_id: string;
            parent_id: string | null;
            /** @description Exactly as sent. */
            metadata: {
                [key: string]: unknown;
            };
            checkpoint: components["schemas"]["SerializedDto"];
            values: {
                [key: string]: components["schemas"]["StateValueDto"];
            };
            /** @description Sorted by `task_path`, `task_id` and `idx`. */
            writes: components["schemas"]["StateWriteDto"][];
        };
        StateNameDto: {
            /**
             * @description The namespace; empty for the graph itself.
             * @default
             */
            ns?: string;
            checkpoint_id: string;
        };
        DeleteStatesDto: {
            checkpoints: components["schemas"]["StateNameDto"][];
        };
        StateOutlineDto: {
            thread_id: string;
            /** @description As the writer named it. */
            agent_id: string;
            /** @description The namespace; empty for the graph itself. */
            ns: string;
            checkpoint_id: string;
            parent_id: string | null;
            /** @description Exactly as sent. */
            metadata: {
                [key: string]: unknown;
            };
            /** @description The channels that have a value. */
            channels: string[];
        };
        StateIndexDto: {
            /** @description Send it as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
            items: components["schemas"]["StateOutlineDto"][];
        };
        StateListDto: {
            /** @description Send it as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
            items: components["schemas"]["StateDto"][];
        };
        HookInputDto: {
            hook_event_name: string;
            /** @description The session id. The thread's id is `claude:` or `codex:`, followed by it. */
            session_id: string;
            tool_name?: string | null;
            tool_input?: {
                [key: string]: unknown;
            } | null;
        };
        HookDecisionDto: {
            /** @enum {string} */
            behavior: "allow" | "deny";
            /** @description Why it was rejected. */
            message?: string;
            /** @description Only for Claude Code: the input as edited by a person. Always present for `ExitPlanMode`, otherwise Claude Code ignores the decision. */
            updatedInput?: {
                [key: string]: unknown;
            };
        };
        HookSpecificOutputDto: {
            hookEventName: string;
            /** @description For `PermissionRequest`. */
            decision?: components["schemas"]["HookDecisionDto"];
            /**
             * @description For `PreToolUse`, whose questions were answered or declined.
             * @enum {string}
             */
            permissionDecision?: "allow" | "deny";
            /** @description Why they were declined. */
            permissionDecisionReason?: string;
            /** @description The input with the member `answers`, by the texts of the questions. */
            updatedInput?: {
                [key: string]: unknown;
            };
        };
        HookOutputDto: {
            hookSpecificOutput: components["schemas"]["HookSpecificOutputDto"];
        };
        HookWaitingDto: {
            /** @enum {string} */
            status: "pending";
            thread_id: string;
            trace_id: string;
            step: number;
        };
        NoticeChatDto: {
            channel_id: string;
            chat_id: string;
            /** @description Part of the chat, where its platform has such. */
            topic?: string | null;
        };
        CreateNoticeDto: {
            /** @description Only what this agent and its sub-agents do; null for all. */
            agent_id?: string | null;
            /** @description Adds what the agent said last to `run_completed`: up to 16 KiB as `answer`; in a chat the whole of it, in place of the sentence. */
            include_answer?: boolean;
            /** @description For people. */
            name: string;
            /** @description Begins with `https://`. `http://` and addresses of this machine are allowed while the server itself listens only there; private networks only for the hosts of `WAYSTATION_NOTICE_HOSTS`; link-local addresses never. No answer and no error repeats its path. */
            url?: string | null;
            /** @description In place of `url`: a chat in which somebody has written to the bot. */
            chat?: components["schemas"]["NoticeChatDto"];
            /** @description `run_...`: ends of runs without a parent, cancellations not among them. `budget_warning`: the first in each attempt of a run. */
            events: ("approval_waiting" | "run_completed" | "run_failed" | "run_budget_exceeded" | "budget_warning" | "effect_in_doubt" | "agent_offline" | "agent_online")[];
        };
        NoticeChatResponseDto: {
            channel_id: string;
            chat_id: string;
            topic: string | null;
        };
        CreatedNoticeResponseDto: {
            id: string;
            name: string;
            /** @description Scheme and host: the rest may be a secret. */
            url: string | null;
            /** @description Null for a URL. */
            chat: components["schemas"]["NoticeChatResponseDto"] | null;
            events: ("approval_waiting" | "run_completed" | "run_failed" | "run_budget_exceeded" | "budget_warning" | "effect_in_doubt" | "agent_offline" | "agent_online")[];
            /** @description Null for all agents. */
            agent_id: string | null;
            /** @description Whether `run_completed` has the answer. */
            include_answer: boolean;
            enabled: boolean;
            /** @description Why the server disabled it: after a 410, or 3 days without success. */
            disabled_reason: string | null;
            /** @description Of the last attempt; null after a success, also of a test, and once it is enabled again or has a new URL or secret. */
            last_error: string | null;
            /**
             * Format: date-time
             * @description The first failed attempt since then.
             */
            failing_since: string | null;
            /** @description Deliveries that wait. At most 10,000; more are dropped. */
            waiting: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description Verifies the signatures, as Standard Webhooks says. Only this answer shows it. Null for a chat. */
            secret: string | null;
        };
        NoticeResponseDto: {
            id: string;
            name: string;
            /** @description Scheme and host: the rest may be a secret. */
            url: string | null;
            /** @description Null for a URL. */
            chat: components["schemas"]["NoticeChatResponseDto"] | null;
            events: ("approval_waiting" | "run_completed" | "run_failed" | "run_budget_exceeded" | "budget_warning" | "effect_in_doubt" | "agent_offline" | "agent_online")[];
            /** @description Null for all agents. */
            agent_id: string | null;
            /** @description Whether `run_completed` has the answer. */
            include_answer: boolean;
            enabled: boolean;
            /** @description Why the server disabled it: after a 410, or 3 days without success. */
            disabled_reason: string | null;
            /** @description Of the last attempt; null after a success, also of a test, and once it is enabled again or has a new URL or secret. */
            last_error: string | null;
            /**
             * Format: date-time
             * @description The first failed attempt since then.
             */
            failing_since: string | null;
            /** @description Deliveries that wait. At most 10,000; more are dropped. */
            waiting: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        NoticeListResponseDto: {
            items: components["schemas"]["NoticeResponseDto"][];
        };
        UpdateNoticeDto: {
            /** @description Only what this agent and its sub-agents do; null for all. */
            agent_id?: string | null;
            /** @description Adds what the agent said last to `run_completed`: up to 16 KiB as `answer`; in a chat the whole of it, in place of the sentence. */
            include_answer?: boolean;
            /** @description For people. */
            name?: string;
            /** @description Begins with `https://`. `http://` and addresses of this machine are allowed while the server itself listens only there; private networks only for the hosts of `WAYSTATION_NOTICE_HOSTS`; link-local addresses never. No answer and no error repeats its path. */
            url?: string;
            /** @description `run_...`: ends of runs without a parent, cancellations not among them. `budget_warning`: the first in each attempt of a run. */
            events?: ("approval_waiting" | "run_completed" | "run_failed" | "run_budget_exceeded" | "budget_warning" | "effect_in_doubt" | "agent_offline" | "agent_online")[];
            /** @description A disabled notice gets no new deliveries; those that wait go on when it is enabled again. */
            enabled?: boolean;
        };
        NoticeTestResponseDto: {
            /** @description Whether the receiver answered 2xx, or the message was queued in the chat. */
            delivered: boolean;
            /** @description Of the answer; null for none. */
            status: number | null;
            /** @description Milliseconds. */
            ms: number;
            error: string | null;
        };
        NoticeSecretResponseDto: {
            /** @description Verifies the signatures, as Standard Webhooks says. Only this answer shows it. */
            secret: string;
        };
        NoticeDeliveryDto: {
            /** @description The `webhook-id` of every attempt. */
            id: string;
            /** @enum {string} */
            type: "approval_waiting" | "run_completed" | "run_failed" | "run_budget_exceeded" | "budget_warning" | "effect_in_doubt" | "agent_offline" | "agent_online";
            /**
             * @description `failed`: given up after the last attempt, or a 410. `dropped`: too many waited.
             * @enum {string}
             */
            status: "waiting" | "delivered" | "failed" | "dropped";
            agent_id: string | null;
            thread_id: string | null;
            trace_id: string | null;
            attempts: number;
            /**
             * Format: date-time
             * @description When to try again; null once it no longer waits.
             */
            next_attempt_at: string | null;
            /** @description HTTP status of the last answer. */
            last_status: number | null;
            last_error: string | null;
            /** @description The beginning of the last answer. */
            last_answer: string | null;
            /** Format: date-time */
            created_at: string;
        };
        NoticeDeliveryListDto: {
            /** @description Send it as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
            /** @description The number of all items, with `count=true` only. */
            total?: number;
            items: components["schemas"]["NoticeDeliveryDto"][];
        };
        ExampleDataDto: {
            /** @description Example threads that exist now. */
            threads: number;
            /** @description Example threads in total. */
            available: number;
        };
        LoadedExampleDataDto: {
            added: number;
            /** @description Ids that had a thread already. */
            existing: number;
        };
        RemovedExampleDataDto: {
            removed: number;
        };
        ImportedThreadDto: {
            thread_id: string;
            runs: number;
            /** @description Including those that later reports replaced. */
            checkpoints: number;
            messages: number;
        };
        PlatformFieldDto: {
            /** @description The member of `config`. */
            name: string;
            /**
             * @description `digits`: a string of digits. `choice`: one of `choices`. `flag`: a boolean. `user_ids`: an array of strings.
             * @enum {string}
             */
            kind: "digits" | "text" | "choice" | "flag" | "user_ids";
            required: boolean;
            /** @description Whether responses omit it and only list it in `secret_fields`. */
            secret: boolean;
            /** @description For `choice`; the first is the default. */
            choices?: string[];
            /** @description For `choice`, if another one than the default suits this server: what a form should start with. */
            suggested?: string;
            /** @description A regular expression that the text must match. */
            pattern?: string;
            /** @description The format in words. */
            format?: string;
            /** @description What it is and where to find it. */
            hint: string;
        };
        PlatformFaultDto: {
            /** @description A case-insensitive regular expression for the platform's words. */
            pattern: string;
            /** @description What to do about it. */
            remedy: string;
        };
        PlatformDto: {
            /**
             * @description The `channel_type` of its channels.
             * @enum {string}
             */
            type: "telegram" | "whatsapp" | "slack";
            title: string;
            /** @description What to do on the platform first, in order. */
            preparation: string[];
            fields: components["schemas"]["PlatformFieldDto"][];
            /** @description Common faults, to match against a 502's detail, a channel's `fault` or a message's `reason`. The first match counts. */
            faults: components["schemas"]["PlatformFaultDto"][];
        };
        PlatformListDto: {
            items: components["schemas"]["PlatformDto"][];
        };
        CreateChannelDto: {
            /**
             * @description The messaging platform.
             * @enum {string}
             */
            channel_type: "telegram" | "whatsapp" | "slack";
            /** @description For people. */
            name: string;
            /** @description Telegram: `bot_token`, optional `transport` (`webhook` or `polling`) and `allow_unsigned`. WhatsApp: `phone_number_id`, `access_token`, `app_secret`, `verify_token`, optional `waba_id`. Slack: `bot_token`, `signing_secret`. All: optional `approvers`, ids of the people who may decide in the chat, and `escalation_chat`, id of a chat that is also asked from the second reminder on. Other members are stored and returned, but have no effect. If a name or value looks like a secret, the API never returns it and only names it in `secret_fields`. */
            config: {
                [key: string]: unknown;
            };
            /**
             * @description What becomes one thread: a chat (or topic) with an agent, each person in it, or each message.
             * @default per_chat
             * @enum {string}
             */
            session_mode?: "per_chat" | "per_user" | "per_message";
            /**
             * @description `single`: every message goes to the default agent. `command`: `/name text` goes to the agent with that command.
             * @default single
             * @enum {string}
             */
            routing_mode?: "single" | "command";
        };
        ChannelAgentDto: {
            agent_name: string;
            /** @description Gets messages that name no command. */
            is_default: boolean;
            /** @description With its leading slash. */
            command: string | null;
        };
        CreatedChannelResponseDto: {
            id: string;
            /** @enum {string} */
            channel_type: "telegram" | "whatsapp" | "slack";
            name: string;
            /** @description Without secrets. Only this response includes the `verification_code`. */
            config: {
                [key: string]: unknown;
            } | null;
            /** @description The secrets that are set, and unknown members that look like secrets. */
            secret_fields: string[];
            /** @enum {string} */
            session_mode: "per_chat" | "per_user" | "per_message";
            /** @enum {string} */
            routing_mode: "single" | "command";
            /** @description A disabled channel acknowledges and drops inbound messages. */
            enabled: boolean;
            /** @description Until it is verified, the channel acknowledges and drops inbound messages. */
            verified: boolean;
            /** @description Where the platform delivers messages, since the last `setup-webhook`. */
            webhook_url: string | null;
            /** @description Why messages do not arrive: the platform's words when polled, or that a request had no valid proof. Null again as soon as a message arrives. The platform's `faults` say what to do. */
            fault: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The bound agents, oldest binding first. */
            agents: components["schemas"]["ChannelAgentDto"][];
            /** @description Send it to `verify`, or to the bot in a chat. Only this response shows it. */
            verification_code: string;
            /**
             * Format: date-time
             * @description When the code expires.
             */
            verification_expires_at: string;
        };
        ChannelResponseDto: {
            id: string;
            /** @enum {string} */
            channel_type: "telegram" | "whatsapp" | "slack";
            name: string;
            /** @description Without secrets and members that look like secrets; null if it was stored under another machine secret; send it again. */
            config: {
                [key: string]: unknown;
            } | null;
            /** @description The secrets that are set, and unknown members that look like secrets. */
            secret_fields: string[];
            /** @enum {string} */
            session_mode: "per_chat" | "per_user" | "per_message";
            /** @enum {string} */
            routing_mode: "single" | "command";
            /** @description A disabled channel acknowledges and drops inbound messages. */
            enabled: boolean;
            /** @description Until it is verified, the channel acknowledges and drops inbound messages. */
            verified: boolean;
            /** @description Where the platform delivers messages, since the last `setup-webhook`. */
            webhook_url: string | null;
            /** @description Why messages do not arrive: the platform's words when polled, or that a request had no valid proof. Null again as soon as a message arrives. The platform's `faults` say what to do. */
            fault: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The bound agents, oldest binding first. */
            agents: components["schemas"]["ChannelAgentDto"][];
        };
        ChannelListResponseDto: {
            /** @description Send it as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
            /** @description The number of all items, with `count=true` only. */
            total?: number;
            items: components["schemas"]["ChannelResponseDto"][];
        };
        UpdateChannelDto: {
            /** @description For people. */
            name?: string;
            /**
             * @description What becomes one thread: a chat (or topic) with an agent, each person in it, or each message.
             * @enum {string}
             */
            session_mode?: "per_chat" | "per_user" | "per_message";
            /**
             * @description `single`: every message goes to the default agent. `command`: `/name text` goes to the agent with that command.
             * @enum {string}
             */
            routing_mode?: "single" | "command";
            /** @description A disabled channel acknowledges and drops inbound messages. */
            enabled?: boolean;
        };
        ReplaceConfigDto: {
            /** @description The whole config: omitted members are removed. Telegram: `bot_token`, optional `transport` (`webhook` or `polling`) and `allow_unsigned`. WhatsApp: `phone_number_id`, `access_token`, `app_secret`, `verify_token`, optional `waba_id`. Slack: `bot_token`, `signing_secret`. All: optional `approvers`, ids of the people who may decide in the chat, and `escalation_chat`, id of a chat that is also asked from the second reminder on. Other members are stored and returned, but have no effect. If a name or value looks like a secret, the API never returns it and only names it in `secret_fields`. */
            config: {
                [key: string]: unknown;
            };
        };
        BindAgentDto: {
            /** @description Id of the agent, as its heartbeats name it. */
            agent_name: string;
            /**
             * @description Gets messages that name no command. The first agent of a channel is always the default; a new default replaces the old one.
             * @default false
             */
            is_default?: boolean | null;
            /** @description For `routing_mode` `command`: one word; a missing leading slash is added. Case does not matter. */
            command?: string | null;
        };
        VerificationCodeDto: {
            /** @description Send it to `verify`, or to the bot in a chat. Only this response shows it. */
            verification_code: string;
            /**
             * Format: date-time
             * @description When the code expires.
             */
            verification_expires_at: string;
        };
        VerifyChannelDto: {
            /** @description The pending verification code. */
            code: string;
        };
        VerifiedChannelResponseDto: {
            id: string;
            /** @enum {string} */
            channel_type: "telegram" | "whatsapp" | "slack";
            name: string;
            /** @description Without secrets and members that look like secrets; null if it was stored under another machine secret; send it again. */
            config: {
                [key: string]: unknown;
            } | null;
            /** @description The secrets that are set, and unknown members that look like secrets. */
            secret_fields: string[];
            /** @enum {string} */
            session_mode: "per_chat" | "per_user" | "per_message";
            /** @enum {string} */
            routing_mode: "single" | "command";
            /** @description A disabled channel acknowledges and drops inbound messages. */
            enabled: boolean;
            /** @description Until it is verified, the channel acknowledges and drops inbound messages. */
            verified: boolean;
            /** @description Where the platform delivers messages, since the last `setup-webhook`. */
            webhook_url: string | null;
            /** @description Why messages do not arrive: the platform's words when polled, or that a request had no valid proof. Null again as soon as a message arrives. The platform's `faults` say what to do. */
            fault: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description The bound agents, oldest binding first. */
            agents: components["schemas"]["ChannelAgentDto"][];
            /** @enum {string} */
            status: "verified";
        };
        AccountDto: {
            /** @description The bot's own user id. */
            user_id: string | null;
            /** @description Its name on the platform. */
            user_name: string | null;
            /** @description Its workspace, if the platform has workspaces. */
            team: string | null;
        };
        SetUpWebhookDto: {
            /** @description Public address of this server: https, or http on this machine. */
            base_url: string;
        };
        WebhookSetupResponseDto: {
            webhook_url: string;
            /**
             * @description `registered` with the platform, or to be set by hand in its console.
             * @enum {string}
             */
            status: "registered" | "manual";
            /** @description What to paste where; empty if nothing is left to do. */
            instructions: string[];
        };
        SentFileDto: {
            name: string;
            media_type: string;
            size_bytes: number;
        };
        ChannelMessageDto: {
            id: string;
            /** @enum {string} */
            direction: "in" | "out";
            /** @description In: `message`, `answer` (to a question of an agent), `press`, `delivery`, `moved`, `membership`, `ignored`. Out: `text`, `question`, `edit`, `file`. */
            kind: string;
            /** @description The platform's id of the message; null before it is sent. */
            external_id: string | null;
            chat_id: string | null;
            user_id: string | null;
            user_name: string | null;
            /** @description Empty for messages not addressed to the bot. */
            text: string;
            /** @description Of a `file`; its text is the caption. */
            file: components["schemas"]["SentFileDto"] | null;
            /**
             * @description In: `received` waits, `joined` is a part of another message, `started` has a run, `done`, `dropped` starts nothing, `failed` was abandoned. Out: `queued`, `sending`, `sent`, `failed`, `unknown` (it may or may not have been sent).
             * @enum {string}
             */
            status: "received" | "joined" | "started" | "done" | "dropped" | "failed" | "queued" | "sending" | "sent" | "unknown";
            /** @description Why it was dropped, failed or is unknown. */
            reason: string | null;
            agent_name: string | null;
            /** @description The thread of its session. */
            thread_id: string | null;
            /** @description The `trace_id` of the run that it started. */
            run_id: string | null;
            /** @description The `id` of the message that it is a part of, such as an album. */
            part_of: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        ChannelMessageListDto: {
            /** @description Send it as `cursor` for the next page; null on the last. */
            next_cursor: string | null;
            /** @description The number of all items, with `count=true` only. */
            total?: number;
            items: components["schemas"]["ChannelMessageDto"][];
        };
        StoredFileDto: {
            digest: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export interface operations {
    Tokens_list: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description `true` adds `total`, the number of all items. */
                count?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of tokens. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TokenListResponseDto"];
                };
            };
        };
    };
    Tokens_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateTokenDto"];
            };
        };
        responses: {
            /** @description The new token. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedTokenResponseDto"];
                };
            };
        };
    };
    Tokens_self: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the token of this request may do. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnTokenResponseDto"];
                };
            };
        };
    };
    Tokens_revoke: {
        parameters: {
            query?: {
                /** @description `true` also revokes every token created with it, directly or indirectly. */
                with_children?: "true" | "false";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The token is revoked. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    Sessions_createCode: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateCodeDto"];
            };
        };
        responses: {
            /** @description The new code. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedCodeDto"];
                };
            };
        };
    };
    Sessions_list: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description `true` adds `total`, the number of all items. */
                count?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of sessions. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsoleSessionListDto"];
                };
            };
        };
    };
    Sessions_signIn: {
        parameters: {
            query?: never;
            header: {
                /** @description Browsers send it automatically. */
                Origin: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SignInDto"];
            };
        };
        responses: {
            /** @description The session has begun. */
            201: {
                headers: {
                    /** @description The cookie that requests need besides the key. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BegunSessionDto"];
                };
            };
        };
    };
    Sessions_getOwn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The caller's session. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ConsoleSessionDto"];
                };
            };
        };
    };
    Sessions_signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    /** @description Removes the cookie. */
                    "Set-Cookie"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    Sessions_end: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The session has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    Root_open: {
        parameters: {
            query?: never;
            header?: {
                /** @description Browsers accept `text/html`. */
                Accept?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the console. */
            302: {
                headers: {
                    /** @description Its path. */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    Health_live: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The server answers. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthResponseDto"];
                };
            };
        };
    };
    Health_ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The server and its database answer. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadinessResponseDto"];
                };
            };
        };
    };
    Metrics_read: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All metrics. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    System_read: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The state of this server and its storage. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SystemDto"];
                };
            };
        };
    };
    Threads_list: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description `true` adds `total`, the number of all items. */
                count?: "true" | "false";
                /** @description Only threads with this status; repeat it for several. `running`, `waiting` and `failed` stand for `in_progress`, `waiting_for_approval` and `error`. */
                status?: string[];
                /** @description Only threads in which this agent took part. */
                agent_id?: string;
                /** @description Only threads whose latest checkpoint names this model. */
                model?: string;
                /** @description Only threads with this text in their id, their model or the id of one of their agents. Ignores case. */
                q?: string;
                /** @description Another name for `q`; use only one of them. */
                search?: string;
                /** @description Only threads with a run of this `trace_id`, even if the item shows another run. */
                trace_id?: string;
                /** @description Only threads with a run whose `trace_id` begins with this text. */
                trace_id_prefix?: string;
                /** @description Only threads with `updated_at` at or after this: an ISO 8601 time or date, in UTC unless it has a zone. */
                since?: string;
                /** @description Only threads with `updated_at` at or before this. A date alone means its first moment. */
                until?: string;
                /** @description `true`: only threads that are silent; `false`: only others. */
                silent?: "true" | "false";
                /** @description `true`: only threads with an effect in doubt; `false`: only others. */
                in_doubt?: "true" | "false";
                /** @description `true`: only threads in progress, with whatever status of the agent, or waiting for a person; `false`: only others. */
                open?: "true" | "false";
                sort?: "updated_at" | "started_at" | "total_tokens" | "total_cost_usd";
                order?: "asc" | "desc";
                /** @description `history` adds each item's messages and their metadata. */
                include?: "history";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of threads. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadListDto"];
                };
            };
        };
    };
    Threads_detail: {
        parameters: {
            query?: {
                /** @description Entries of `logs` per page. Without it, all at once. */
                logs_limit?: number;
                /** @description The `logs_next_cursor` of the previous page. */
                logs_cursor?: string;
                /** @description `effects`: each run has its effects, without `args`, `result` and `error`. */
                include?: "effects";
                /** @description `none`: `history` and `history_meta` are empty. */
                history?: "full" | "none";
            };
            header?: never;
            path: {
                thread_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The thread. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadDetailDto"];
                };
            };
        };
    };
    Threads_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                thread_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The thread is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    Threads_checkpoints: {
        parameters: {
            query?: {
                /** @description Only checkpoints of the runs with this trace. */
                trace_id?: string;
                /** @description Items per page. Without it, all at once. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, or the `cursor` of a step. */
                cursor?: string;
                /** @description `new`: only the messages added since the run's previous step; `none`: `history_length` instead. */
                history?: "full" | "new" | "none";
                /** @description Only checkpoints of this agent. */
                agent_id?: string;
            };
            header?: never;
            path: {
                thread_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The checkpoints. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadCheckpointListDto"];
                };
            };
        };
    };
    Threads_stepList: {
        parameters: {
            query?: {
                /** @description Only checkpoints of the runs with this trace. */
                trace_id?: string;
                /** @description Items per page. Without it, all at once. */
                limit?: number;
                /** @description The `next_cursor` of the previous page, or the `cursor` of a step. */
                cursor?: string;
            };
            header?: never;
            path: {
                thread_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The steps. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadStepListDto"];
                };
            };
        };
    };
    Threads_messages: {
        parameters: {
            query?: {
                /** @description Places of messages, as in `history_places`. */
                history?: string;
                /** @description Places of their metadata, as in `history_meta_places`. */
                history_meta?: string;
            };
            header?: never;
            path: {
                thread_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The messages. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ThreadMessagesDto"];
                };
            };
        };
    };
    Threads_stream: {
        parameters: {
            query?: {
                /** @description Like the header `Last-Event-ID`, for clients that cannot set it; the header takes precedence. */
                last_event_id?: string;
            };
            header?: {
                /** @description The id of the last received event. */
                "Last-Event-ID"?: string;
            };
            path: {
                thread_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream; it ends when the thread is deleted. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    Threads_cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                thread_id: string;
                trace_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RunOrderDto"];
            };
        };
        responses: {
            /** @description The cancelled run. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CancelledRunDto"];
                };
            };
        };
    };
    ThreadsStats_read: {
        parameters: {
            query?: {
                /** @description Runs that started at or after this time, rounded down to a quarter of an hour: an ISO 8601 time or date, in UTC unless it has a zone. Default: a day before `until`, and 30 days unless by hour. */
                since?: string;
                /** @description Runs that started before the end of this time's quarter of an hour. Default: now. */
                until?: string;
                by?: "hour" | "day" | "agent" | "model";
                /** @description IANA name of the time zone for hours and days. `Etc/Unknown`, which some browsers send, means UTC. */
                tz?: string;
                /** @description Only runs of this agent. */
                agent_id?: string;
                /** @description Only runs with this model. */
                model?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The sums. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatsDto"];
                };
            };
        };
    };
    ThreadsWatch_stream: {
        parameters: {
            query?: {
                /** @description Only threads in which this agent took part. */
                agent_id?: string;
                /** @description Only threads whose latest checkpoint names this model. */
                model?: string;
                /** @description Only threads with this text in their id, their model or the id of one of their agents. Ignores case. */
                q?: string;
                /** @description Another name for `q`; use only one of them. */
                search?: string;
                /** @description Only threads with this status; repeat it for several. `running`, `waiting` and `failed` stand for `in_progress`, `waiting_for_approval` and `error`. */
                status?: string[];
                /** @description Like the header `Last-Event-ID`, for clients that cannot set it; the header takes precedence. */
                last_event_id?: string;
            };
            header?: {
                /** @description The id of the last received event. */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
        };
    };
    Approvals_list: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description `true` adds `total`, the number of all items. */
                count?: "true" | "false";
                /** @description `all` for every status; `decided` for approved, rejected and expired approvals, latest decision first. */
                status?: "pending" | "approved" | "rejected" | "expired" | "superseded" | "decided" | "all";
                /** @description Only approvals of this kind. */
                kind?: "approval" | "question";
                /** @description Only approvals of this agent. */
                agent_id?: string;
                /** @description Only approvals of this thread. */
                thread_id?: string;
                /** @description Only approvals of this run. */
                trace_id?: string;
                /** @description Only approvals of this step. */
                step?: string;
                /** @description Only approvals of which this rule decided at least one call. */
                rule_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of approvals. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalListDto"];
                };
            };
        };
    };
    Approvals_stream: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    Approvals_get: {
        parameters: {
            query?: {
                /** @description The thread, if several threads have this trace. */
                thread_id?: string;
            };
            header?: never;
            path: {
                trace_id: string;
                /** @description Step of the checkpoint that holds the calls. */
                step: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalDto"];
                };
            };
        };
    };
    Approvals_approve: {
        parameters: {
            query?: {
                /** @description The thread, if several threads have this trace. */
                thread_id?: string;
            };
            header?: never;
            path: {
                trace_id: string;
                /** @description Step of the checkpoint that holds the calls. */
                step: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DecisionDto"];
            };
        };
        responses: {
            /** @description The record with the decision. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DecidedApprovalDto"];
                };
            };
        };
    };
    Approvals_reject: {
        parameters: {
            query?: {
                /** @description The thread, if several threads have this trace. */
                thread_id?: string;
            };
            header?: never;
            path: {
                trace_id: string;
                /** @description Step of the checkpoint that holds the calls. */
                step: number;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["DecisionDto"];
            };
        };
        responses: {
            /** @description The record with the decision. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DecidedApprovalDto"];
                };
            };
        };
    };
    Approvals_answer: {
        parameters: {
            query?: {
                /** @description The thread, if several threads have this trace. */
                thread_id?: string;
            };
            header?: never;
            path: {
                trace_id: string;
                /** @description Step of the checkpoint that holds the calls. */
                step: number;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnswerDto"];
            };
        };
        responses: {
            /** @description The record with the decision. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DecidedApprovalDto"];
                };
            };
        };
    };
    Rules_list: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description `true` adds `total`, the number of all items. */
                count?: "true" | "false";
                /** @description `ended`: expired or revoked. */
                status?: "active" | "ended" | "all";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of rules. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleListDto"];
                };
            };
        };
    };
    Rules_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateRuleDto"];
            };
        };
        responses: {
            /** @description The rule. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleResponseDto"];
                };
            };
        };
    };
    Rules_rehearse: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RehearseRuleDto"];
            };
        };
        responses: {
            /** @description What the rule says. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RehearsalDto"];
                };
            };
        };
    };
    Rules_suggest: {
        parameters: {
            query?: {
                /** @description For what people approved of this agent. */
                agent_id?: string;
                /** @description With `step`: for the calls of this approval. */
                trace_id?: string;
                /** @description With `trace_id`. */
                step?: string;
                /** @description The thread, if several threads have this trace. */
                thread_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The drafts. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleSuggestionsDto"];
                };
            };
        };
    };
    Rules_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rule. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuleResponseDto"];
                };
            };
        };
    };
    Rules_revoke: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rule has ended. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    Effects_list: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Only effects in this state. */
                state?: "in_doubt" | "started" | "completed" | "failed" | "not_done";
                /** @description Only effects last claimed by this run. */
                trace_id?: string;
                /** @description Only effects of this agent. */
                agent_id?: string;
                /** @description Seconds (at most 60) to wait until the ETag differs from If-None-Match, or without that header until the next change. */
                wait?: string;
            };
            header?: {
                /** @description The ETag of the last response. */
                "If-None-Match"?: string;
            };
            path: {
                thread_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of effects, with its ETag. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectListDto"];
                };
            };
            /** @description The ETag still matches If-None-Match. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    Effects_claim: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                thread_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClaimEffectDto"];
            };
        };
        responses: {
            /** @description The call is completed already: do not run the tool, use this result. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectDto"];
                };
            };
            /** @description Run the tool. `Location` is the address of the effect. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectDto"];
                };
            };
        };
    };
    Effects_one: {
        parameters: {
            query?: {
                /** @description The agent, if several agents have this key. */
                agent_id?: string;
                /** @description Seconds (at most 60) to wait until the ETag differs from If-None-Match, or without that header until the next change. */
                wait?: string;
            };
            header?: {
                /** @description The ETag of the last response. */
                "If-None-Match"?: string;
            };
            path: {
                thread_id: string;
                /** @description The key, percent-encoded. */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The effect, with its ETag. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectDto"];
                };
            };
            /** @description The ETag still matches If-None-Match. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    Effects_settle: {
        parameters: {
            query?: {
                /** @description The agent, if several agents have this key. */
                agent_id?: string;
            };
            header?: never;
            path: {
                thread_id: string;
                /** @description The key, percent-encoded. */
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SettleEffectDto"];
            };
        };
        responses: {
            /** @description The current effect. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectDto"];
                };
            };
        };
    };
    Effects_all: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description `decided` for effects that a person settled, latest decision first. */
                state?: "in_doubt" | "started" | "completed" | "failed" | "not_done" | "decided";
                /** @description Only effects of this agent. */
                agent_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of effects. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EffectListDto"];
                };
            };
        };
    };
    Runners_reportInternal: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventBatchDto"];
            };
        };
        responses: {
            /** @description All events are stored durably. */
            200: {
                headers: {
                    /** @description Features of every server on this database. `history_base`: events may carry `data.history_base`. `questions`: calls may ask people questions. Absent if there are none. */
                    "Waystation-Features"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngestionResponseDto"];
                };
            };
            /** @description Some events were rejected. */
            207: {
                headers: {
                    /** @description Features of every server on this database. `history_base`: events may carry `data.history_base`. `questions`: calls may ask people questions. Absent if there are none. */
                    "Waystation-Features"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngestionResponseDto"];
                };
            };
        };
    };
    Runners_report: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EventBatchDto"];
            };
        };
        responses: {
            /** @description All events are stored durably. */
            200: {
                headers: {
                    /** @description Features of every server on this database. `history_base`: events may carry `data.history_base`. `questions`: calls may ask people questions. Absent if there are none. */
                    "Waystation-Features"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngestionResponseDto"];
                };
            };
            /** @description Some events were rejected. */
            207: {
                headers: {
                    /** @description Features of every server on this database. `history_base`: events may carry `data.history_base`. `questions`: calls may ask people questions. Absent if there are none. */
                    "Waystation-Features"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["IngestionResponseDto"];
                };
            };
        };
    };
    Runners_latest: {
        parameters: {
            query?: {
                /** @description Only the run with this trace. */
                trace_id?: string;
                /** @description Only checkpoints of this agent. */
                agent_id?: string;
                /** @description Seconds (at most 60) to wait until the ETag differs from If-None-Match, or without that header until the next change. */
                wait?: string;
                /** @description Whether to replace an empty history with the run's last history that was not empty: `true` and `safe` always, `false` never; by default only if `history_meta` is longer. `safe` is for an agent that resumes after an interruption: it returns the checkpoint of the topmost run, even while a sub-run waits, with `effects`, `history_for_model`, `repairs` and `waiting`. */
                resume?: "true" | "false" | "safe";
                /** @description `none`: `history` and `history_meta` are empty, `history_length` is the number of messages, `event_id` the id of the event that reported it, and `rev` the number of the thread's last change to it. For callers that only watch a run. `history_for_model` stays whole. */
                history?: "full" | "none";
            };
            header?: {
                /** @description The ETag of the last response. */
                "If-None-Match"?: string;
            };
            path: {
                thread_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The latest checkpoint, with its ETag. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointDto"];
                };
            };
            /** @description The ETag still matches If-None-Match. */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    Agents_list: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description `true` adds `total`, the number of all items. */
                count?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of agents. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AgentListResponseDto"];
                };
            };
        };
    };
    Agents_invoke: {
        parameters: {
            query?: never;
            header?: {
                /** @description 1 to 255 printable ASCII characters. For 7 days, the same key gets the same run of the agent; with another body it is refused (422, `idempotency_key_reused`). */
                "Idempotency-Key"?: string;
            };
            path: {
                agent_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["InvokeAgentDto"];
            };
        };
        responses: {
            /** @description The agent has accepted the run. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvokedRunDto"];
                };
            };
        };
    };
    Runs_retry: {
        parameters: {
            query?: {
                /** @description The agent, if several agents have a run with this trace. */
                agent_id?: string;
            };
            header?: never;
            path: {
                thread_id: string;
                trace_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RunOrderDto"];
            };
        };
        responses: {
            /** @description The agent has accepted the run. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InvokedRunDto"];
                };
            };
        };
    };
    Leases_get: {
        parameters: {
            query?: {
                /** @description The agent, if several agents have a run with this trace. */
                agent_id?: string;
            };
            header?: never;
            path: {
                thread_id: string;
                trace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lease, live or expired. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LeaseDto"];
                };
            };
        };
    };
    Leases_claim: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                thread_id: string;
                trace_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClaimLeaseDto"];
            };
        };
        responses: {
            /** @description The caller already held the lease; it is renewed. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GrantedLeaseDto"];
                };
            };
            /** @description The caller has the lease, with a new fence. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GrantedLeaseDto"];
                };
            };
        };
    };
    Leases_release: {
        parameters: {
            query: {
                /** @description The fence of the lease. */
                fence: number;
            };
            header?: never;
            path: {
                thread_id: string;
                trace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The lease is released. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    RunnerThreads_list: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Only threads whose id begins with this text. There are no wildcards. */
                prefix?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of threads. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnThreadListDto"];
                };
            };
        };
    };
    RunnerThreads_runs: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
            };
            header?: never;
            path: {
                thread_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of runs. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OwnRunListDto"];
                };
            };
        };
    };
    RunnerThreads_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                thread_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The thread is deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    State_one: {
        parameters: {
            query?: {
                /** @description The namespace; empty for the graph itself. */
                ns?: string;
                /** @description The agent; each has its own states in a thread. A token bound to one agent need not name it. */
                agent_id?: string;
            };
            header?: never;
            path: {
                thread_id: string;
                checkpoint_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The checkpoint with its values and writes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateDto"];
                };
            };
        };
    };
    State_put: {
        parameters: {
            query?: {
                /** @description The namespace; empty for the graph itself. */
                ns?: string;
                /** @description The agent; each has its own states in a thread. A token bound to one agent need not name it. */
                agent_id?: string;
            };
            header?: never;
            path: {
                thread_id: string;
                checkpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutStateDto"];
            };
        };
        responses: {
            /** @description The checkpoint existed, and is replaced. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredStateDto"];
                };
            };
            /** @description The checkpoint is stored durably. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredStateDto"];
                };
            };
        };
    };
    State_addWrites: {
        parameters: {
            query?: {
                /** @description The namespace; empty for the graph itself. */
                ns?: string;
                /** @description The agent; each has its own states in a thread. A token bound to one agent need not name it. */
                agent_id?: string;
            };
            header?: never;
            path: {
                thread_id: string;
                checkpoint_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutWritesDto"];
            };
        };
        responses: {
            /** @description The writes are stored durably. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    State_newest: {
        parameters: {
            query?: {
                /** @description The namespace; empty for the graph itself. */
                ns?: string;
                /** @description The agent; each has its own states in a thread. A token bound to one agent need not name it. */
                agent_id?: string;
            };
            header?: never;
            path: {
                thread_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The checkpoint with its values and writes. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateDto"];
                };
            };
        };
    };
    State_putStep: {
        parameters: {
            query?: {
                /** @description Only states of this agent. */
                agent_id?: string;
            };
            header?: never;
            path: {
                thread_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PutStepDto"];
            };
        };
        responses: {
            /** @description All but the rejected events is stored durably. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredStepDto"];
                };
            };
        };
    };
    State_clear: {
        parameters: {
            query?: {
                /** @description Only states of this agent. */
                agent_id?: string;
            };
            header?: never;
            path: {
                thread_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The states are deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    State_delete: {
        parameters: {
            query?: {
                /** @description Only states of this agent. */
                agent_id?: string;
            };
            header?: never;
            path: {
                thread_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeleteStatesDto"];
            };
        };
        responses: {
            /** @description The checkpoints are deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    State_index: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Only checkpoints of this thread. */
                thread_id?: string;
                /** @description Only checkpoints of threads whose id begins with this text. */
                thread_prefix?: string;
                /** @description Only checkpoints of this namespace; empty for the graph itself. */
                ns?: string;
                /** @description Only states of this agent. */
                agent_id?: string;
                /** @description Only checkpoints whose id sorts before this one, byte by byte. */
                before?: string;
                /** @description A JSON object with at most 32 members: only checkpoints whose metadata has them with the same values. */
                filter?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of checkpoints. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateIndexDto"];
                };
            };
        };
    };
    State_list: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description Only checkpoints of this thread. */
                thread_id?: string;
                /** @description Only checkpoints of threads whose id begins with this text. */
                thread_prefix?: string;
                /** @description Only checkpoints of this namespace; empty for the graph itself. */
                ns?: string;
                /** @description Only states of this agent. */
                agent_id?: string;
                /** @description Only checkpoints whose id sorts before this one, byte by byte. */
                before?: string;
                /** @description A JSON object with at most 32 members: only checkpoints whose metadata has them with the same values. */
                filter?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of checkpoints. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StateListDto"];
                };
            };
        };
    };
    Hooks_claude: {
        parameters: {
            query?: {
                /** @description The agent for which the session is recorded. Default: the only agent of the token, otherwise `claude-code` or `codex`. */
                agent_id?: string;
                /** @description Seconds (at most 60) to wait for a person's decision. */
                wait?: string;
                /** @description Seconds (above 0, below 100000) that the hook waits in total. After that the terminal asks, and the approval can no longer be decided. For one `Idempotency-Key`, the first request's value counts. Default: 600. */
                timeout?: string;
                /** @description Also asks in a chat of this channel. The agent must be bound to the channel, and somebody who may decide must have written to the bot there. */
                channel_id?: string;
                /** @description The platform's id of the chat. */
                chat_id?: string;
            };
            header?: {
                /** @description Identifies a resent request. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HookInputDto"];
            };
        };
        responses: {
            /** @description The decision: print it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookOutputDto"];
                };
            };
            /** @description No decision yet. Ask again with the same key. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookWaitingDto"];
                };
            };
            /** @description Nothing to print: the event is recorded, or the terminal asks. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    Hooks_codex: {
        parameters: {
            query?: {
                /** @description The agent for which the session is recorded. Default: the only agent of the token, otherwise `claude-code` or `codex`. */
                agent_id?: string;
                /** @description Seconds (at most 60) to wait for a person's decision. */
                wait?: string;
                /** @description Seconds (above 0, below 100000) that the hook waits in total. After that the terminal asks, and the approval can no longer be decided. For one `Idempotency-Key`, the first request's value counts. Default: 600. */
                timeout?: string;
                /** @description Also asks in a chat of this channel. The agent must be bound to the channel, and somebody who may decide must have written to the bot there. */
                channel_id?: string;
                /** @description The platform's id of the chat. */
                chat_id?: string;
            };
            header?: {
                /** @description Identifies a resent request. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["HookInputDto"];
            };
        };
        responses: {
            /** @description The decision: print it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookOutputDto"];
                };
            };
            /** @description No decision yet. Ask again with the same key. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookWaitingDto"];
                };
            };
            /** @description Nothing to print: the event is recorded, or the terminal asks. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    Notices_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The notices. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoticeListResponseDto"];
                };
            };
        };
    };
    Notices_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateNoticeDto"];
            };
        };
        responses: {
            /** @description The new notice. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedNoticeResponseDto"];
                };
            };
        };
    };
    Notices_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The notice. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoticeResponseDto"];
                };
            };
        };
    };
    Notices_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The notice is removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    Notices_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateNoticeDto"];
            };
        };
        responses: {
            /** @description The updated notice. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoticeResponseDto"];
                };
            };
        };
    };
    Notices_test: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the receiver answered. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoticeTestResponseDto"];
                };
            };
        };
    };
    Notices_renewSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secret. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoticeSecretResponseDto"];
                };
            };
        };
    };
    Notices_listDeliveries: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description `true` adds `total`, the number of all items. */
                count?: "true" | "false";
                /** @description Only deliveries with this status. */
                status?: "waiting" | "delivered" | "failed" | "dropped";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of deliveries. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoticeDeliveryListDto"];
                };
            };
        };
    };
    Notices_retryDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery, waiting. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoticeDeliveryDto"];
                };
            };
        };
    };
    Examples_count: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description How many example threads there are. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExampleDataDto"];
                };
            };
        };
    };
    Examples_load: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The example data is there. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["LoadedExampleDataDto"];
                };
            };
        };
    };
    Examples_remove: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No example data is left. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RemovedExampleDataDto"];
                };
            };
        };
    };
    ThreadTransfer_export: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                thread_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The export. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": string;
                };
            };
        };
    };
    ThreadTransfer_import: {
        parameters: {
            query?: {
                /** @description Another id for the imported thread. */
                as?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description The thread is stored durably. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ImportedThreadDto"];
                };
            };
        };
    };
    Receiver_handshake: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The messaging platform that sends the request. */
                platform: "telegram" | "whatsapp" | "slack";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The challenge. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    Receiver_receive: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The messaging platform that sends the request. */
                platform: "telegram" | "whatsapp" | "slack";
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": Record<string, never>;
                "application/x-www-form-urlencoded": Record<string, never>;
            };
        };
        responses: {
            /** @description Stored or ignored. Empty unless the platform expects a body, such as the challenge of Slack's handshake. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
        };
    };
    Platforms_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All platforms that this server knows. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlatformListDto"];
                };
            };
        };
    };
    Channels_list: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description `true` adds `total`, the number of all items. */
                count?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of channels. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelListResponseDto"];
                };
            };
        };
    };
    Channels_create: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateChannelDto"];
            };
        };
        responses: {
            /** @description The new channel. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedChannelResponseDto"];
                };
            };
        };
    };
    Channels_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The channel. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelResponseDto"];
                };
            };
        };
    };
    Channels_delete: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The channel is removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    Channels_update: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateChannelDto"];
            };
        };
        responses: {
            /** @description The updated channel. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelResponseDto"];
                };
            };
        };
    };
    Channels_replaceConfig: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplaceConfigDto"];
            };
        };
        responses: {
            /** @description The updated channel. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelResponseDto"];
                };
            };
        };
    };
    ChannelSetup_bind: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["BindAgentDto"];
            };
        };
        responses: {
            /** @description The binding. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelAgentDto"];
                };
            };
        };
    };
    ChannelSetup_unbind: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The agent is unbound. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    ChannelSetup_renewCode: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The code. Only this response shows it. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerificationCodeDto"];
                };
            };
        };
    };
    ChannelSetup_verify: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["VerifyChannelDto"];
            };
        };
        responses: {
            /** @description The verified channel. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VerifiedChannelResponseDto"];
                };
            };
        };
    };
    ChannelSetup_check: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The account on the platform. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AccountDto"];
                };
            };
        };
    };
    ChannelSetup_setUpWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetUpWebhookDto"];
            };
        };
        responses: {
            /** @description Where the platform delivers messages. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookSetupResponseDto"];
                };
            };
        };
    };
    Channels_listMessages: {
        parameters: {
            query?: {
                /** @description Items per page. */
                limit?: number;
                /** @description The `next_cursor` of the previous page. */
                cursor?: string;
                /** @description `true` adds `total`, the number of all items. */
                count?: "true" | "false";
                /** @description Only inbound or only outbound messages. */
                direction?: "in" | "out";
                /** @description Only messages with this status. */
                status?: "received" | "joined" | "started" | "done" | "dropped" | "failed" | "queued" | "sending" | "sent" | "unknown";
            };
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of messages. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChannelMessageListDto"];
                };
            };
        };
    };
    Attachments_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                thread_id: string;
                attachment_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The file. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
        };
    };
    Attachments_put: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                thread_id: string;
                /** @description The SHA-256 of the bytes, in hexadecimal. */
                attachment_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
            };
        };
        responses: {
            /** @description The thread has it already. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredFileDto"];
                };
            };
            /** @description The file is stored durably. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredFileDto"];
                };
            };
        };
    };
}
