//! Sees who sends, and passes on what it can't read: the body of a request, and nothing else of it.

use std::{net::IpAddr, time::Duration};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::post,
};

use crate::{Failure, REQUEST, has_type, sender::Sender};

/// Of an answer, what goes back to the sender.
const KEPT: [header::HeaderName; 2] = [header::CONTENT_TYPE, header::RETRY_AFTER];

const WAIT: Duration = Duration::from_secs(20);

/// Returns a relay to one gateway.
pub fn app(gateway: &str, from: Option<&str>) -> Result<Router, Failure> {
    let from: Option<IpAddr> = from
        .map(|address| {
            address.parse().map_err(|_| format!("{address}: not an address to connect from"))
        })
        .transpose()?;
    let gateway = Sender::new(gateway, from, WAIT)?;
    Ok(Router::new().route("/", post(pass)).with_state(gateway))
}

async fn pass(State(gateway): State<Sender>, headers: HeaderMap, body: Bytes) -> Response {
    if !has_type(&headers, REQUEST) {
        return StatusCode::UNSUPPORTED_MEDIA_TYPE.into_response();
    }
    let Some(answer) = gateway.post(REQUEST, body).await else {
        return StatusCode::BAD_GATEWAY.into_response();
    };
    let kept: HeaderMap = KEPT
        .into_iter()
        .filter_map(|name| Some((name.clone(), answer.headers().get(&name)?.clone())))
        .collect();
    (answer.status(), kept, answer.into_body()).into_response()
}
